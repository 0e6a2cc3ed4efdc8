/* Preloaded: each process counts, in a file that all of them share, how often it made sure that what
   it wrote is on the disk, and how often it heard from somebody after it had said something, which
   is a round trip as a server sees it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACES 4096

struct counts {
    int64_t process, syncs, round_trips;
};

static struct counts *all;
static struct counts *mine;
static int has_spoken;

__attribute__((constructor)) static void open_file(void) {
    const char *name = getenv("COUNTED_FILE");
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *held = mmap(NULL, PLACES * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (held != MAP_FAILED) all = held;
}

/* A place of this process alone: a fork takes another than its parent's. */
static struct counts *of_this_process(void) {
    int64_t process = getpid();
    if (mine && mine->process == process) return mine;
    for (int place = 0; all && place < PLACES; place++) {
        int64_t nobody = 0;
        if (__atomic_compare_exchange_n(&all[place].process, &nobody, process, 0,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
            || nobody == process)
            return mine = &all[place];
    }
    return NULL;
}

static int sync_counted(const char *name, int file) {
    struct counts *counts = of_this_process();
    if (counts) __atomic_add_fetch(&counts->syncs, 1, __ATOMIC_RELAXED);
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return sync_counted("fsync", file); }
int fdatasync(int file) { return sync_counted("fdatasync", file); }

ssize_t send(int peer, const void *bytes, size_t length, int flags) {
    static ssize_t (*next)(int, const void *, size_t, int);
    if (!next) next = dlsym(RTLD_NEXT, "send");
    has_spoken = 1;
    return next(peer, bytes, length, flags);
}

ssize_t recv(int peer, void *bytes, size_t length, int flags) {
    static ssize_t (*next)(int, void *, size_t, int);
    if (!next) next = dlsym(RTLD_NEXT, "recv");
    ssize_t heard = next(peer, bytes, length, flags);
    if (heard > 0 && has_spoken) {
        struct counts *counts = of_this_process();
        has_spoken = 0;
        if (counts) __atomic_add_fetch(&counts->round_trips, 1, __ATOMIC_RELAXED);
    }
    return heard;
}
