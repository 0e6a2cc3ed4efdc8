/* Preloaded: each fsync and fdatasync takes some milliseconds more, as on a disk that turns. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int after_a_while(const char *name, int file) {
    const char *told = getenv("SLOW_DISK_MILLISECONDS");
    usleep(1000 * (told ? atoi(told) : 5));
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return after_a_while("fsync", file); }
int fdatasync(int file) { return after_a_while("fdatasync", file); }
