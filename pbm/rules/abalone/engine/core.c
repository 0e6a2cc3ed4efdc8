/* The search in C: the twin of `plain.py`, `boards.py` and `judging.py`, function by function.
 *
 * From the same root, weights, ways and limits both find the same at the same number of nodes, so
 * whatever changes here changes there. Nothing is shared between two searches. Cells have the
 * numbers that `pbm/rules/abalone/board.py` gives them, so that codes of moves are the same.
 */

#define _DEFAULT_SOURCE

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* `compiling.py` says what tells this source from another. */
#ifndef SOURCE
#define SOURCE ""
#endif

enum { SEATS = 6, OTHERS = 6, NOBODY = 7, NO_SIDE = -1, NO_SEAT = -1 };
enum { KINDS = 42, CODES = KINDS << 7, CODE_BITS = 13, MOVES = SEATS << CODE_BITS };
enum { DEEPEST_PLY = 120, DEEPEST = 60, MOST_LINES = 256, LINE = DEEPEST_PLY + 2 };
enum { EJECTIONS_TO_WIN = 6, HISTORY_BITS = 14, PAST_BITS = 12, CLOCK = 255, SINGLY = 5 };
/* No more moves than that can there be: 42 kinds from each of 61 cells. */
enum { MOST_MOVES = KINDS * 61 };
enum { EXACT, LOWER, UPPER };

#define WIN 1010000
#define PLY 10
#define SURE 1000000
#define INFINITE 2000000

typedef unsigned __int128 cells;
typedef int32_t value;

/* The numbers of `weights.py`, in its order. */
typedef struct {
    int32_t scores[6], marble, rings[5], cohesion, danger, push, lead, tempo;
    int32_t best_reply, quiescence, reductions, patience, futility, margin, aspiration, contempt;
} numbers;

/* What `compiled.py` hands over and gets back, field by field. */
typedef struct {
    uint64_t marbles[SEATS][2];
    uint64_t fixed[2];
    int32_t players, sides_number, turn;
    int32_t sides[SEATS], scores[SEATS], out[SEATS];
    int32_t past_number;
    const uint64_t *past_marbles; /* two words for each seat, `players` seats for each position */
    const int32_t *past_turns;
} given_root;

typedef struct {
    int64_t nodes;
    int32_t depth, best;
    double seconds; /* below zero for none */
    uint64_t seed;
    int64_t table_size;
    const _Atomic int32_t *stop; /* may be null */
    void (*told)(void); /* called when a depth is finished, unless null */
} given_limits;

typedef struct {
    int32_t lines_number, depth, cut;
    int64_t nodes;
    int32_t scores[MOST_LINES], lengths[MOST_LINES];
    int32_t moves[MOST_LINES][LINE];
} outlook;

typedef struct {
    cells marbles[SEATS];
    cells occupied; /* without the fixed one */
    uint64_t key;
    int8_t scores[SEATS];
    int8_t turn, won;
} board;

typedef struct {
    uint64_t key;
    int32_t value;
    uint16_t move;
    int8_t depth;
    uint8_t bound;
} known;

typedef struct {
    int32_t number;
    int32_t moves[LINE];
} line;

typedef struct {
    int32_t rank, move;
} ranked;

typedef struct {
    numbers weights;
    int players, sides_number, root_turn, own, others_number, part;
    bool best_reply;
    int8_t sides[SEATS], partners[SEATS];
    bool out[SEATS], alive[SEATS], played[SEATS];
    int8_t judged[SEATS]; /* the root's side, then the others that are alive */
    int enemies_number;
    int8_t enemies[SEATS];
    cells fixed;

    given_limits limits;
    struct timespec until;
    bool bounded, stopped, cut;
    int64_t nodes;

    known *table;
    uint64_t mask;
    int32_t *history;
    int32_t (*tried)[MOST_MOVES];
    ranked (*pushing)[MOST_MOVES], (*quiet)[MOST_MOVES];
    line *lines;
    int32_t killers[DEEPEST_PLY + 1][2];
    uint64_t path[DEEPEST_PLY + 2];
    int path_number;
    bool has_past;
    uint64_t past[1 << PAST_BITS];
    int32_t gains[CODES];
    bool is_quiet_at_root[MOVES];

    uint64_t cell_keys[SEATS][112];
    uint64_t turn_keys[8];
    uint64_t score_keys[SEATS][8];

    value best_value; /* the best of an unfinished depth, with its line */
    line best;
} search;

/* Where the loader can choose, what counts most is there once more for processors that count bits
 * by themselves. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && !defined(NO_CLONES)
#define FASTER __attribute__((target_clones("popcnt", "default")))
#else
#define FASTER
#endif

/* -- cells ------------------------------------------------------------------------------------ */

#define BIT(cell) ((cells)1 << (cell))
#define WORDS(high, low) ((cells)(high) << 64 | (cells)(low))

static const int STEPS[6] = {1, 11, 10, -1, -11, -10};

#define BOARD WORDS(0xf83f0fe3f, 0xcff9fe3f87e0f800)

/* By direction, the cells from which a step leads off the board. */
static const cells EDGES[6] = {
    WORDS(0x802008020, 0x801002004008000), WORDS(0xf82008020, 0x800000000000000),
    WORDS(0xf80100200, 0x4008000000000000), WORDS(0x80100200, 0x4008020080200800),
    WORDS(0x0, 0x802008020f800), WORDS(0x0, 0x80100200400f800)
};

/* The cells by their distance from the centre. */
static const cells RINGS[5] = {
    WORDS(0x0, 0x80000000000000), WORDS(0x6, 0x140300000000000),
    WORDS(0x3809, 0x220480e00000000), WORDS(0x1e04410, 0x8410841103c00000),
    WORDS(0xf82108220, 0x480902208420f800)
};

static inline __attribute__((always_inline)) int count_of(cells set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

static inline int lowest(cells set) {
    uint64_t low = (uint64_t)set;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

/* The cells from which a step leads into a set, and those that it leads to. */
static inline cells before(cells set, int step) {
    return step > 0 ? set >> step : set << -step;
}

static inline cells shifted(cells set, int step) {
    return step > 0 ? set << step : set >> -step;
}

/* What a kind of moves is: its step, the axis of its line and the number of marbles. */
typedef struct {
    int8_t step, axis, size;
} kind;

static inline kind kind_of(int number) {
    static const int8_t AXES[3][2] = {{10, 11}, {1, 10}, {1, 11}};
    static const int8_t FAR[3] = {1, 11, 10};
    int direction = number / 7, within = number % 7;
    int far = FAR[direction % 3], step = direction < 3 ? far : -far;
    if (within < 3)
        return (kind){(int8_t)step, (int8_t)step, (int8_t)(within + 1)};
    return (kind){(int8_t)step, AXES[direction % 3][(within - 3) / 2], (int8_t)(2 + (within - 3) % 2)};
}

/* For each kind of one direction, the rear cells from which it is legal (`search.rears`). */
static inline __attribute__((always_inline)) void rears_towards(
    cells own, cells partner, cells enemies, cells fixed, int step, int one, int other, cells *found
) {
    cells side = own | partner, occupied = side | enemies | fixed;
    cells empty = BOARD & ~occupied, room = ~occupied;
    cells open_ahead = before(empty, step);
    cells pushable = enemies & before(room, step);
    cells clear = empty | pushable;
    cells pairs = own & before(side, step);
    cells free = side & open_ahead;
    cells beside_one = free & free >> one, beside_other = free & free >> other;
    found[0] = own & open_ahead;
    found[1] = pairs & before(clear, 2 * step);
    found[2] = pairs & before(side, 2 * step)
        & before(clear | (enemies & before(pushable, step)), 3 * step);
    found[3] = beside_one;
    found[4] = beside_one & free >> 2 * one;
    found[5] = beside_other;
    found[6] = beside_other & free >> 2 * other;
    if (partner) {
        found[3] &= own | own >> one;
        found[4] &= own | own >> one | own >> 2 * one;
        found[5] &= own | own >> other;
        found[6] &= own | own >> other | own >> 2 * other;
    }
}

static void rears(cells own, cells partner, cells enemies, cells fixed, cells found[KINDS]) {
    rears_towards(own, partner, enemies, fixed, 1, 10, 11, found);
    rears_towards(own, partner, enemies, fixed, 11, 1, 10, found + 7);
    rears_towards(own, partner, enemies, fixed, 10, 1, 11, found + 14);
    rears_towards(own, partner, enemies, fixed, -1, 10, 11, found + 21);
    rears_towards(own, partner, enemies, fixed, -11, 1, 10, found + 28);
    rears_towards(own, partner, enemies, fixed, -10, 1, 11, found + 35);
}

/* -- keys ------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t number) {
    uint64_t word = (number + 1) * 0x9E3779B97F4A7C15u;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

static void make_keys(search *s) {
    for (int seat = 0; seat < SEATS; seat++) {
        for (int cell = 0; cell < 100; cell++)
            s->cell_keys[seat][cell] = mixed((uint64_t)(seat << 7 | cell));
        for (int score = 0; score <= EJECTIONS_TO_WIN; score++)
            s->score_keys[seat][score] = mixed((uint64_t)(2048 + (seat << 3 | score)));
    }
    for (int turn = 0; turn < 8; turn++)
        s->turn_keys[turn] = mixed((uint64_t)(1024 + turn));
}

/* -- boards.py -------------------------------------------------------------------------------- */

typedef struct {
    cells own, partner, others;
} seen;

static inline seen seen_by(const search *s, const board *b, int seat) {
    cells own = b->marbles[seat];
    cells partner = s->partners[seat] == NO_SEAT ? 0 : b->marbles[s->partners[seat]];
    return (seen){own, partner, b->occupied ^ own ^ partner};
}

static inline cells counted(const search *s, const board *b) {
    cells set = 0;
    for (int seat = 0; seat < s->players; seat++)
        if (!s->out[seat])
            set |= b->marbles[seat];
    return set;
}

static inline bool is_own(const search *s, int turn) {
    return turn < OTHERS && s->sides[turn] == s->own;
}

static inline int movers(const search *s, const board *b, const int8_t **seats) {
    if (b->turn == OTHERS) {
        *seats = s->enemies;
        return s->enemies_number;
    }
    *seats = &b->turn;
    return 1;
}

static inline int append(ranked *list, int number, int base, cells set) {
    uint64_t low = (uint64_t)set, high = (uint64_t)(set >> 64);
    for (; low; low &= low - 1)
        list[number++].move = base + __builtin_ctzll(low);
    for (; high; high &= high - 1)
        list[number++].move = base + 64 + __builtin_ctzll(high);
    return number;
}

static inline __attribute__((always_inline)) int ejections_towards(
    const seen *set, cells targets, int base, int direction, int step, ranked *list, int number
) {
    cells falling = targets & EDGES[direction];
    if (!falling)
        return number;
    cells side = set->own | set->partner, pairs = set->own & before(side, step);
    base += ((7 * direction + 1) << 7) + 1;
    number = append(list, number, base, pairs & before(falling, 2 * step));
    falling |= set->others & before(falling, step);
    cells threes = pairs & before(side, 2 * step) & before(falling, 3 * step);
    return append(list, number, base + 128, threes);
}

static int ejections(const search *s, const board *b, ranked *list) {
    const int8_t *seats;
    int number = 0, movers_number = movers(s, b, &seats);
    cells scoring = counted(s, b);
    for (int index = 0; index < movers_number; index++) {
        seen set = seen_by(s, b, seats[index]);
        cells targets = scoring & set.others & RINGS[4];
        int base = seats[index] << CODE_BITS;
        if (!targets)
            continue;
        number = ejections_towards(&set, targets, base, 0, 1, list, number);
        number = ejections_towards(&set, targets, base, 1, 11, list, number);
        number = ejections_towards(&set, targets, base, 2, 10, list, number);
        number = ejections_towards(&set, targets, base, 3, -1, list, number);
        number = ejections_towards(&set, targets, base, 4, -11, list, number);
        number = ejections_towards(&set, targets, base, 5, -10, list, number);
    }
    return number;
}

static void other_moves(
    const search *s, const board *b,
    ranked *pushing, int *pushing_number, ranked *quiet, int *quiet_number, bool skips_quiet
) {
    const int8_t *seats;
    int movers_number = movers(s, b, &seats), pushes = 0, quiets = 0;
    cells scoring = counted(s, b);
    for (int index = 0; index < movers_number; index++) {
        seen set = seen_by(s, b, seats[index]);
        cells found[KINDS];
        int start = (seats[index] << CODE_BITS) + 1;
        rears(set.own, set.partner, set.others, s->fixed, found);
        for (int direction = 0; direction < 6; direction++) {
            int step = STEPS[direction];
            cells falling = scoring & set.others & EDGES[direction];
            falling |= set.others & before(falling, step);
            for (int size = 2; size <= 3; size++) {
                int number = 7 * direction + size - 1;
                cells touching = found[number] & before(set.others, size * step);
                if (!touching)
                    continue;
                found[number] ^= touching;
                touching &= ~before(falling, size * step);
                pushes = append(pushing, pushes, start + (number << 7), touching);
            }
        }
        if (!skips_quiet)
            for (int number = 0; number < KINDS; number++)
                quiets = append(quiet, quiets, start + (number << 7), found[number]);
    }
    *pushing_number = pushes;
    *quiet_number = quiets;
}

static bool is_legal(const search *s, const board *b, int move) {
    const int8_t *seats;
    int movers_number = movers(s, b, &seats), seat = move >> CODE_BITS;
    int code = move & ((1 << CODE_BITS) - 1), number = code >> 7;
    for (int index = 0; index < movers_number; index++) {
        if (seats[index] != seat || number >= KINDS || !(code & 127))
            continue;
        seen set = seen_by(s, b, seat);
        cells found[KINDS];
        rears(set.own, set.partner, set.others, s->fixed, found);
        return found[number] >> ((code & 127) - 1) & 1;
    }
    return false;
}

static bool is_quiet(const board *b, int move) {
    int code = move & ((1 << CODE_BITS) - 1);
    kind k = kind_of(code >> 7);
    if (k.axis != k.step || k.size == 1)
        return true;
    int ahead = (code & 127) - 1 + k.size * k.step;
    return !(b->occupied >> ahead & 1);
}

static bool can_move(const search *s, const board *b, int seat) {
    seen set = seen_by(s, b, seat);
    cells own = set.own, empty = BOARD & ~(b->occupied | s->fixed);
    if ((own << 1 | own >> 1) & empty)
        return true;
    if ((own << 10 | own >> 10 | own << 11 | own >> 11) & empty)
        return true;
    cells found[KINDS], any = 0;
    rears(own, set.partner, set.others, s->fixed, found);
    for (int number = 0; number < KINDS; number++)
        any |= found[number];
    return any;
}

static int next_turn(const search *s, const board *b, int seat, int turn) {
    if (!s->best_reply) {
        for (int step = 0; step < s->players; step++) {
            if (++seat >= s->players)
                seat = 0;
            if (s->played[seat] && can_move(s, b, seat))
                return seat;
        }
        return NOBODY;
    }
    bool can_reply = false;
    for (int index = 0; index < s->enemies_number && !can_reply; index++)
        can_reply = can_move(s, b, s->enemies[index]);
    if ((turn == OTHERS || !can_reply) && can_move(s, b, s->root_turn))
        return s->root_turn;
    return can_reply ? OTHERS : NOBODY;
}

/* The only side still in that has marbles; NO_SIDE where there are several. */
static int last_side(const search *s, const board *b) {
    int left = NO_SIDE;
    for (int seat = 0; seat < s->players; seat++) {
        if (!s->alive[s->sides[seat]] || !b->marbles[seat] || s->sides[seat] == left)
            continue;
        if (left != NO_SIDE)
            return NO_SIDE;
        left = s->sides[seat];
    }
    return left;
}

static inline int seat_at(const search *s, const board *b, int cell) {
    for (int seat = 0; seat < s->players; seat++)
        if (b->marbles[seat] >> cell & 1)
            return seat;
    return NO_SEAT;
}

static inline void toggle(const search *s, board *b, int seat, int cell) {
    b->marbles[seat] ^= BIT(cell);
    b->key ^= s->cell_keys[seat][cell];
}

/* Push what stands on a cell and behind it; the seat whose marble falls off, or NO_SEAT. */
static int push(const search *s, const board *from, board *b, int cell, int step) {
    int seat = seat_at(s, from, cell);
    toggle(s, b, seat, cell);
    for (;;) {
        cell += step;
        if (!(BOARD >> cell & 1))
            return seat;
        int behind = seat_at(s, from, cell);
        if (behind == seat)
            continue;
        toggle(s, b, seat, cell);
        if (behind == NO_SEAT)
            return NO_SEAT;
        toggle(s, b, behind, cell);
        seat = behind;
    }
}

/* The position after a legal move. */
static void play(const search *s, const board *from, int move, board *b) {
    int seat = move >> CODE_BITS, code = move & ((1 << CODE_BITS) - 1);
    kind k = kind_of(code >> 7);
    int rear = (code & 127) - 1, ahead = rear + k.size * k.step;
    int fallen = NO_SEAT;
    bool in_line = k.axis == k.step;
    *b = *from;
    b->key ^= s->turn_keys[from->turn];
    if (in_line && k.size > 1 && from->occupied >> ahead & 1)
        fallen = push(s, from, b, ahead, k.step);
    if (s->partners[seat] == NO_SEAT) {
        if (in_line) {
            toggle(s, b, seat, rear);
            toggle(s, b, seat, ahead);
        } else {
            for (int index = 0; index < k.size; index++) {
                toggle(s, b, seat, rear + index * k.axis);
                toggle(s, b, seat, rear + index * k.axis + k.step);
            }
        }
    } else {
        for (int index = k.size - 1; index >= 0; index--) {
            int cell = rear + index * k.axis;
            int member = from->marbles[seat] >> cell & 1 ? seat : s->partners[seat];
            toggle(s, b, member, cell);
            toggle(s, b, member, cell + k.step);
        }
    }
    b->occupied = 0;
    for (int member = 0; member < s->players; member++)
        b->occupied |= b->marbles[member];
    if (fallen != NO_SEAT) {
        b->won = (int8_t)last_side(s, b);
        if (!s->out[fallen]) {
            int side = s->sides[seat], score = ++b->scores[side];
            b->key ^= s->score_keys[side][score - 1] ^ s->score_keys[side][score];
            if (score >= EJECTIONS_TO_WIN)
                b->won = (int8_t)side;
        }
    }
    b->turn = b->won != NO_SIDE ? NOBODY : (int8_t)next_turn(s, b, seat, from->turn);
    b->key ^= s->turn_keys[b->turn];
}

/* -- judging.py ------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) cells hit_towards(
    cells army, cells others, int direction, int step
) {
    cells target = others & EDGES[direction];
    if (!target)
        return 0;
    cells pairs = army & before(army, step), threes = pairs & before(army, 2 * step);
    return target & (shifted(pairs, 2 * step) | shifted(shifted(threes, 3 * step) & others, step));
}

/* The marbles of others that an army could push off the board at once. */
static inline __attribute__((always_inline)) cells hit_by(cells army, cells others) {
    return hit_towards(army, others, 0, 1) | hit_towards(army, others, 1, 11)
        | hit_towards(army, others, 2, 10) | hit_towards(army, others, 3, -1)
        | hit_towards(army, others, 4, -11) | hit_towards(army, others, 5, -10);
}

static inline __attribute__((always_inline)) int pushes_towards(
    cells army, cells others, cells empty, int step
) {
    cells pairs = army & before(army, step);
    cells one = others & before(empty, step), two = others & before(one, step);
    return count_of(pairs & before(one, 2 * step))
        + count_of(pairs & before(army, 2 * step) & before(one | two, 3 * step));
}

/* In how many ways an army could push others without pushing them off. */
static inline __attribute__((always_inline)) int pushes(cells army, cells others, cells occupied) {
    cells empty = BOARD & ~occupied;
    return pushes_towards(army, others, empty, 1) + pushes_towards(army, others, empty, 11)
        + pushes_towards(army, others, empty, 10) + pushes_towards(army, others, empty, -1)
        + pushes_towards(army, others, empty, -11) + pushes_towards(army, others, empty, -10);
}

static inline __attribute__((always_inline)) value worth(const numbers *w, cells army, int score) {
    value sum = w->scores[score > 5 ? 5 : score];
    if (w->marble)
        sum += w->marble * count_of(army);
    for (int ring = 0; ring < 5; ring++)
        sum += w->rings[ring] * count_of(army & RINGS[ring]);
    int pairs = count_of(army & army >> 1) + count_of(army & army >> 10) + count_of(army & army >> 11);
    return sum + w->cohesion * pairs;
}

/* How much better the root's side stands than the others. */
FASTER static value judged(const search *s, const board *b) {
    const numbers *w = &s->weights;
    int sides_number = s->others_number + 1;
    cells armies[SEATS] = {0}, by_side[SEATS] = {0}, hits = 0;
    value values[SEATS] = {0};
    for (int seat = 0; seat < s->players; seat++)
        by_side[s->sides[seat]] |= b->marbles[seat];
    for (int index = 0; index < sides_number; index++) {
        armies[index] = by_side[s->judged[index]];
        if (w->danger)
            hits |= hit_by(armies[index], b->occupied & ~armies[index]);
    }
    for (int index = 0; index < sides_number; index++) {
        cells army = armies[index];
        values[index] = worth(w, army, b->scores[s->judged[index]])
            - w->danger * count_of(army & hits);
        if (w->push)
            values[index] += w->push * pushes(army, b->occupied & ~army, b->occupied | s->fixed);
    }
    if (s->others_number == 1)
        return values[0] - values[1];
    value most = values[1];
    int64_t sum = 0;
    for (int index = 1; index < sides_number; index++) {
        sum += values[index];
        if (values[index] > most)
            most = values[index];
    }
    int64_t mean = sum * s->part >> 12;
    return values[0] - (value)((w->lead * (int64_t)most + (16 - w->lead) * mean) >> 4);
}

static inline value judged_for(const search *s, const board *b, bool own) {
    value sum = judged(s, b);
    return (own ? sum : -sum) + s->weights.tempo;
}

/* -- plain.py --------------------------------------------------------------------------------- */

static value searched(
    search *s, const board *b, int depth, value alpha, value beta, int ply
);

/* Count a position, and stop where the nodes or the seconds are used up. */
static bool is_over(search *s) {
    if (s->bounded) {
        if (s->nodes >= s->limits.nodes)
            return s->stopped = true;
        if (!(s->nodes & CLOCK)) {
            if (s->limits.stop && atomic_load_explicit(s->limits.stop, memory_order_relaxed))
                return s->stopped = s->cut = true;
            if (s->limits.seconds >= 0) {
                struct timespec now;
                clock_gettime(CLOCK_MONOTONIC, &now);
                if (now.tv_sec > s->until.tv_sec
                    || (now.tv_sec == s->until.tv_sec && now.tv_nsec >= s->until.tv_nsec))
                    return s->stopped = s->cut = true;
            }
        }
    }
    s->nodes++;
    return false;
}

static void join(line *to, int move, const line *rest) {
    int number = rest->number < LINE - 1 ? rest->number : LINE - 1;
    to->moves[0] = move;
    memcpy(to->moves + 1, rest->moves, sizeof(int32_t) * (size_t)number);
    to->number = number + 1;
}

static value reply(
    search *s, const board *child, bool same, int depth, value alpha, value beta, int ply
) {
    if (same)
        return searched(s, child, depth, alpha, beta, ply + 1);
    return -searched(s, child, depth, -beta, -alpha, ply + 1);
}

/* The value of a move: of the first in the whole window, of others where that matters. */
static value tried(
    search *s, const board *b, int move, int depth, value alpha, value beta, int ply, int count,
    int late
) {
    board child;
    play(s, b, move, &child);
    __builtin_prefetch(&s->table[child.key & s->mask]);
    bool same = is_own(s, child.turn) == is_own(s, b->turn);
    if (count) {
        value found = reply(s, &child, same, depth - 1 - late, alpha, alpha + 1, ply);
        if (late && found > alpha && !s->stopped)
            found = reply(s, &child, same, depth - 1, alpha, alpha + 1, ply);
        if (found <= alpha || found >= beta || beta - alpha == 1 || s->stopped)
            return found;
    }
    return reply(s, &child, same, depth - 1, alpha, beta, ply);
}

/* The value when all ejections that gain are played out. */
static value quiesced(search *s, const board *b, bool own, value alpha, value beta, int ply) {
    value best = judged_for(s, b, own);
    if (best >= beta || !s->weights.quiescence || ply >= DEEPEST_PLY)
        return best;
    bool is_open = beta - alpha > 1;
    ranked *list = s->pushing[ply];
    int number = ejections(s, b, list);
    if (best > alpha)
        alpha = best;
    for (int index = 0; index < number; index++) {
        int move = list[index].move;
        value found = tried(s, b, move, 1, alpha, beta, ply, 0, 0);
        if (s->stopped)
            return 0;
        if (found <= best)
            continue;
        best = found;
        if (found > alpha) {
            alpha = found;
            if (is_open)
                join(&s->lines[ply], move, &s->lines[ply + 1]);
            if (found >= beta)
                break;
        }
    }
    return best;
}

/* The moves of a position in the order in which they are tried. */
typedef struct {
    int hint, ply, stage, index, pushing_number, quiet_number;
    bool skips_quiet;
} order;

static void rank(const search *s, ranked *list, int number, int ply) {
    const int32_t *killers = s->killers[ply];
    for (int index = 0; index < number; index++) {
        int move = list[index].move;
        if (move == killers[0])
            list[index].rank = 2 << (HISTORY_BITS + 1);
        else if (move == killers[1])
            list[index].rank = 1 << (HISTORY_BITS + 1);
        else
            list[index].rank = s->history[move] + s->gains[move & ((1 << CODE_BITS) - 1)];
    }
}

static void insert(ranked *list, int from, int at) {
    ranked entry = list[from];
    memmove(list + at + 1, list + at, sizeof *list * (size_t)(from - at));
    list[at] = entry;
}

/* Bring the best of what is left to a place: one by one, since often one is enough, and all at
 * once when it is not. Equal ones stay in their order. */
static void choose(ranked *list, int number, int at) {
    if (at < SINGLY) {
        int best = at;
        for (int index = at + 1; index < number; index++)
            if (list[index].rank > list[best].rank)
                best = index;
        insert(list, best, at);
    } else if (at == SINGLY) {
        for (int index = at + 1; index < number; index++) {
            int to = index;
            while (to > at && list[to - 1].rank < list[index].rank)
                to--;
            insert(list, index, to);
        }
    }
}

/* The next move, 0 after the last. */
static int next_move(search *s, const board *b, order *o, bool *quiet) {
    ranked *pushing = s->pushing[o->ply], *rest = s->quiet[o->ply];
    switch (o->stage) {
    case 0:
        o->stage = 1;
        if (o->hint && is_legal(s, b, o->hint)) {
            *quiet = is_quiet(b, o->hint);
            if (!(*quiet && o->skips_quiet))
                return o->hint;
        }
        /* fall through */
    case 1:
        o->stage = 2;
        o->index = 0;
        o->pushing_number = ejections(s, b, pushing);
        /* fall through */
    case 2:
        *quiet = false;
        while (o->index < o->pushing_number) {
            int move = pushing[o->index++].move;
            if (move != o->hint)
                return move;
        }
        o->stage = 3;
        o->index = 0;
        other_moves(
            s, b, pushing, &o->pushing_number, rest, &o->quiet_number, o->skips_quiet
        );
        rank(s, pushing, o->pushing_number, o->ply);
        /* fall through */
    case 3:
        *quiet = false;
        while (o->index < o->pushing_number) {
            choose(pushing, o->pushing_number, o->index);
            int move = pushing[o->index++].move;
            if (move != o->hint)
                return move;
        }
        if (o->skips_quiet)
            return 0;
        o->stage = 4;
        o->index = 0;
        rank(s, rest, o->quiet_number, o->ply);
        /* fall through */
    default:
        *quiet = true;
        while (o->index < o->quiet_number) {
            choose(rest, o->quiet_number, o->index);
            int move = rest[o->index++].move;
            if (move != o->hint)
                return move;
        }
        return 0;
    }
}

/* Remember a quiet move that was good enough, and that those before it were not. */
static void reward(search *s, int move, const int32_t *others, int number, int depth, int ply) {
    int32_t *killers = s->killers[ply], *history = s->history;
    int bonus = depth * depth < 400 ? depth * depth : 400;
    if (killers[0] != move) {
        killers[1] = killers[0];
        killers[0] = move;
    }
    history[move] += bonus - (history[move] * bonus >> HISTORY_BITS);
    for (int index = 0; index < number; index++) {
        int32_t *other = &history[others[index]];
        *other += -bonus - (*other * bonus >> HISTORY_BITS);
    }
}

static void keep(search *s, uint64_t key, int move, value found, int depth, int bound, int ply) {
    if (found >= SURE)
        found += PLY * ply;
    else if (found <= -SURE)
        found -= PLY * ply;
    s->table[key & s->mask] = (known){key, found, (uint16_t)move, (int8_t)depth, (uint8_t)bound};
}

/* By how many plies a late quiet move is searched less deeply at first. */
static int reduction(const search *s, int depth, int count) {
    if (!s->weights.reductions || depth < 3 || count < 3)
        return 0;
    if (depth > 5 && count > 20)
        return 3;
    return depth > 3 && count > 7 ? 2 : 1;
}

/* Whether so many quiet moves have been tried that the rest of them hardly matters. */
static bool is_enough(const search *s, int depth, int number) {
    return s->weights.patience && depth <= 3
        && number >= s->weights.patience * (1 + depth * depth);
}

/* The value of a position of the last plies far above the window, or the upper bound of its quiet
 * moves in the last ply far below it. */
static value guessed(const search *s, const board *b, bool own, int depth, value alpha) {
    const numbers *w = &s->weights;
    if (depth > 3 || alpha >= SURE || alpha <= -SURE)
        return -INFINITE;
    value still = judged_for(s, b, own);
    if (w->margin && still - w->margin * depth > alpha)
        return still;
    if (w->futility && depth == 1 && still + w->futility <= alpha)
        return still + w->futility;
    return -INFINITE;
}

static value best_of(
    search *s, const board *b, bool own, int depth, value alpha, value beta, int ply, int hint
) {
    value best = beta - alpha == 1 ? guessed(s, b, own, depth, alpha) : -INFINITE;
    value first_alpha = alpha;
    int best_move = 0, count = 0, tried_number = 0;
    if (best >= beta)
        return best;
    order o = {.hint = hint, .ply = ply, .skips_quiet = best > -INFINITE};
    bool quiet = false;
    for (int move; (move = next_move(s, b, &o, &quiet));) {
        if (quiet && beta - first_alpha == 1 && best > -SURE && is_enough(s, depth, tried_number))
            break;
        int late = quiet ? reduction(s, depth, count) : 0;
        value found = tried(s, b, move, depth, alpha, beta, ply, count, late);
        if (s->stopped)
            return 0;
        count++;
        if (found > best) {
            best = found;
            if (found > alpha) {
                alpha = found;
                best_move = move;
                if (beta - first_alpha > 1)
                    join(&s->lines[ply], move, &s->lines[ply + 1]);
                if (found >= beta) {
                    if (quiet)
                        reward(s, move, s->tried[ply], tried_number, depth, ply);
                    break;
                }
            }
        }
        if (quiet)
            s->tried[ply][tried_number++] = move;
    }
    int bound = best >= beta ? LOWER : best > first_alpha ? EXACT : UPPER;
    keep(s, b->key, best_move ? best_move : hint, best, depth, bound, ply);
    return best;
}

static bool is_repeated(const search *s, uint64_t key) {
    for (int index = s->path_number - 1; index >= 0; index--)
        if (s->path[index] == key)
            return true;
    if (!s->has_past)
        return false;
    uint64_t mask = (1 << PAST_BITS) - 1;
    for (uint64_t slot = key & mask; s->past[slot]; slot = (slot + 1) & mask)
        if (s->past[slot] == key)
            return true;
    return false;
}

/* The value of a position, for the side that moves in it. */
static value searched(
    search *s, const board *b, int depth, value alpha, value beta, int ply
) {
    if (is_over(s))
        return 0;
    s->lines[ply].number = 0;
    bool own = is_own(s, b->turn);
    if (b->turn == NOBODY) {
        if (b->won == NO_SIDE)
            return 0;
        return b->won == s->own ? PLY * ply - WIN : WIN - PLY * ply;
    }
    if (is_repeated(s, b->key))
        return own ? -s->weights.contempt : s->weights.contempt;
    if (depth <= 0 || ply >= DEEPEST_PLY)
        return quiesced(s, b, own, alpha, beta, ply);
    bool is_open = beta - alpha > 1;
    int hint = 0;
    const known *k = &s->table[b->key & s->mask];
    if (k->key == b->key) {
        hint = k->move;
        if (k->depth >= depth && !is_open) {
            value found = k->value;
            if (found >= SURE)
                found -= PLY * ply;
            else if (found <= -SURE)
                found += PLY * ply;
            if (k->bound == EXACT || (k->bound == LOWER && found >= beta)
                || (k->bound == UPPER && found <= alpha))
                return found;
        }
    }
    s->path[s->path_number++] = b->key;
    value found = best_of(s, b, own, depth, alpha, beta, ply, hint);
    s->path_number--;
    return found;
}

/* -- the root --------------------------------------------------------------------------------- */

typedef struct {
    int32_t number, moves[MOST_MOVES];
} root_moves;

static void move_to_front(root_moves *list, int at, int move) {
    int from = at;
    while (from < list->number && list->moves[from] != move)
        from++;
    for (; from > at; from--)
        list->moves[from] = list->moves[from - 1];
    list->moves[at] = move;
}

static void sort_root(const search *s, const ranked *list, int number, root_moves *moves) {
    int first = moves->number;
    for (int index = 0; index < number; index++) {
        int move = list[index].move, at = moves->number++;
        int gain = s->gains[move & ((1 << CODE_BITS) - 1)];
        uint64_t seed = s->limits.seed, drawn = seed ? mixed(seed << 16 ^ (uint64_t)move) : 0;
        for (; at > first; at--) {
            int other = moves->moves[at - 1];
            int other_gain = s->gains[other & ((1 << CODE_BITS) - 1)];
            uint64_t other_drawn = seed ? mixed(seed << 16 ^ (uint64_t)other) : 0;
            if (other_gain > gain || (other_gain == gain && other_drawn <= drawn))
                break;
            moves->moves[at] = other;
        }
        moves->moves[at] = move;
    }
}

/* Ejections first, then pushes, then those that gain most. */
static void list_root(search *s, const board *b, root_moves *moves) {
    int pushing, quiet;
    moves->number = 0;
    sort_root(s, s->pushing[0], ejections(s, b, s->pushing[0]), moves);
    other_moves(s, b, s->pushing[0], &pushing, s->quiet[0], &quiet, false);
    sort_root(s, s->pushing[0], pushing, moves);
    sort_root(s, s->quiet[0], quiet, moves);
    for (int index = 0; index < quiet; index++)
        s->is_quiet_at_root[s->quiet[0][index].move] = true;
}

static value searched_root(
    search *s, const board *b, const root_moves *moves, int first, int depth, value alpha,
    value beta, line *best_line
) {
    value best = -INFINITE;
    best_line->number = 1;
    best_line->moves[0] = moves->moves[first];
    for (int index = first; index < moves->number; index++) {
        int move = moves->moves[index], count = index - first;
        int late = s->is_quiet_at_root[move] ? reduction(s, depth, count) : 0;
        value low = best > alpha ? best : alpha;
        value found = tried(s, b, move, depth, low, beta, 0, count, late);
        if (s->stopped)
            return 0;
        if (found <= best)
            continue;
        best = found;
        if (found > alpha) {
            join(best_line, move, &s->lines[1]);
            s->best_value = found;
            s->best = *best_line;
            if (found >= beta)
                break;
        }
    }
    return best;
}

/* The best of the moves from `first` on, first in a narrow window around a guess. */
static value aspired(
    search *s, const board *b, const root_moves *moves, int first, int depth, bool has_guess,
    value guess, line *best_line
) {
    value alpha = -INFINITE, beta = INFINITE, margin = s->weights.aspiration;
    root_moves left = *moves;
    if (has_guess && margin && depth > 3 && guess < SURE && guess > -SURE) {
        alpha = guess - margin;
        beta = guess + margin;
    }
    for (;;) {
        value found = searched_root(s, b, &left, first, depth, alpha, beta, best_line);
        if (s->stopped)
            return 0;
        if (found <= alpha) {
            alpha = -INFINITE;
        } else if (found >= beta) {
            beta = INFINITE;
            move_to_front(&left, first, best_line->moves[0]);
        } else {
            return found;
        }
    }
}

static void put(outlook *out, int at, value score, const line *moves) {
    out->scores[at] = score;
    out->lengths[at] = moves->number;
    memcpy(out->moves[at], moves->moves, sizeof(int32_t) * (size_t)moves->number);
}

typedef struct {
    value score;
    line moves;
} scored;

/* Best first; equal ones stay in the order in which they were found. */
static void sort_lines(scored *lines, int number) {
    for (int index = 1; index < number; index++) {
        scored entry = lines[index];
        int at = index;
        for (; at > 0 && lines[at - 1].score < entry.score; at--)
            lines[at] = lines[at - 1];
        lines[at] = entry;
    }
}

static bool are_settled(const scored *lines, int number, int depth) {
    for (int index = 0; index < number; index++) {
        value score = lines[index].score;
        if (WIN - (score < 0 ? -score : score) > PLY * depth)
            return false;
    }
    return true;
}

/* The best lines, deeper and deeper until a limit is reached. */
static void find(search *s, const board *b, root_moves *moves, scored *lines, outlook *out) {
    s->path[s->path_number++] = b->key;
    list_root(s, b, moves);
    int wanted = s->limits.best < moves->number ? s->limits.best : moves->number;
    int deepest = s->limits.depth < DEEPEST ? s->limits.depth : DEEPEST;
    for (int depth = 1; depth <= deepest; depth++) {
        s->bounded = depth > 1;
        s->best.number = 0;
        for (int index = 0; index < wanted; index++) {
            value guess = out->scores[index];
            lines[index].score = aspired(
                s, b, moves, index, depth, out->lines_number > 0, guess, &lines[index].moves
            );
            if (s->stopped)
                break;
            move_to_front(moves, index, lines[index].moves.moves[0]);
        }
        if (s->stopped) {
            if (wanted == 1 && s->best.number)
                put(out, 0, s->best_value, &s->best);
            break;
        }
        sort_lines(lines, wanted);
        for (int index = wanted - 1; index >= 0; index--)
            move_to_front(moves, 0, lines[index].moves.moves[0]);
        for (int index = 0; index < wanted; index++)
            put(out, index, lines[index].score, &lines[index].moves);
        out->lines_number = wanted;
        out->depth = depth;
        out->nodes = s->nodes;
        if (s->limits.told)
            s->limits.told();
        if (are_settled(lines, wanted, depth))
            break;
    }
    out->nodes = s->nodes;
    out->cut = s->cut;
}

/* -- perft ------------------------------------------------------------------------------------ */

FASTER static int64_t moves_number(const cells found[KINDS]) {
    int64_t number = 0;
    for (int index = 0; index < KINDS; index++)
        number += count_of(found[index]);
    return number;
}

/* The number of sequences of so many moves; those of the last ply are counted, not played. */
static int64_t sequences(const search *s, const board *b, int depth) {
    if (depth == 0)
        return 1;
    if (b->turn == NOBODY)
        return 0;
    seen set = seen_by(s, b, b->turn);
    cells found[KINDS];
    rears(set.own, set.partner, set.others, s->fixed, found);
    if (depth == 1)
        return moves_number(found);
    int64_t sum = 0;
    for (int number = 0; number < KINDS; number++)
        for (cells left = found[number]; left; left &= left - 1) {
            board child;
            play(s, b, b->turn << CODE_BITS | number << 7 | (lowest(left) + 1), &child);
            sum += sequences(s, &child, depth - 1);
        }
    return sum;
}

/* -- what is called from outside -------------------------------------------------------------- */

static board set_up(const search *s, const given_root *root, const uint64_t *words, int turn) {
    board b = {.turn = (int8_t)turn, .won = NO_SIDE, .key = s->turn_keys[turn]};
    for (int side = 0; side < s->sides_number; side++) {
        b.scores[side] = (int8_t)root->scores[side];
        b.key ^= s->score_keys[side][b.scores[side]];
    }
    for (int seat = 0; seat < s->players; seat++) {
        b.marbles[seat] = WORDS(words[2 * seat + 1], words[2 * seat]) & BOARD;
        b.occupied |= b.marbles[seat];
        for (int cell = 0; cell < 100; cell++)
            if (b.marbles[seat] >> cell & 1)
                b.key ^= s->cell_keys[seat][cell];
    }
    return b;
}

/* Whether a player is left on the side to move, and on another. */
static bool has_two_sides(const given_root *root) {
    bool own = false, other = false;
    for (int seat = 0; seat < root->players; seat++) {
        if (root->out[seat])
            continue;
        if (root->sides[seat] == root->sides[root->turn])
            own = true;
        else
            other = true;
    }
    return own && other;
}

static bool is_sound(const given_root *root, const given_limits *limits) {
    cells taken = WORDS(root->fixed[1], root->fixed[0]);
    if (root->players < 2 || root->players > SEATS || root->turn < 0
        || root->turn >= root->players || root->sides_number < 2
        || root->sides_number > root->players || root->past_number < 0
        || root->past_number > 1 << (PAST_BITS - 1) || taken & ~BOARD)
        return false;
    for (int seat = 0; seat < root->players; seat++) {
        cells marbles = WORDS(root->marbles[seat][1], root->marbles[seat][0]);
        if (root->sides[seat] < 0 || root->sides[seat] >= root->sides_number
            || marbles & (taken | ~BOARD))
            return false;
        taken |= marbles;
    }
    for (int side = 0; side < root->sides_number; side++)
        if (root->scores[side] < 0 || root->scores[side] >= EJECTIONS_TO_WIN)
            return false;
    for (int index = 0; index < root->past_number; index++)
        if (root->past_turns[index] < 0 || root->past_turns[index] >= root->players)
            return false;
    if (!has_two_sides(root))
        return false;
    return limits->best >= 1 && limits->best <= MOST_LINES && limits->depth >= 1
        && limits->table_size > 0 && !(limits->table_size & (limits->table_size - 1));
}

static void seat_players(search *s, const given_root *root) {
    s->players = root->players;
    s->sides_number = root->sides_number;
    s->root_turn = root->turn;
    s->own = root->sides[root->turn];
    s->fixed = WORDS(root->fixed[1], root->fixed[0]);
    for (int seat = 0; seat < s->players; seat++) {
        s->sides[seat] = (int8_t)root->sides[seat];
        s->out[seat] = root->out[seat];
        s->partners[seat] = NO_SEAT;
        for (int other = 0; other < s->players; other++)
            if (other != seat && root->sides[other] == root->sides[seat])
                s->partners[seat] = (int8_t)other;
        if (!s->out[seat])
            s->alive[root->sides[seat]] = true;
    }
    for (int seat = 0; seat < s->players; seat++) {
        s->played[seat] = s->alive[s->sides[seat]];
        if (s->played[seat] && s->sides[seat] != s->own)
            s->enemies[s->enemies_number++] = (int8_t)seat;
    }
    s->judged[0] = (int8_t)s->own;
    for (int side = 0; side < s->sides_number; side++)
        if (s->alive[side] && side != s->own)
            s->judged[++s->others_number] = (int8_t)side;
    s->part = 4096 / (s->others_number ? s->others_number : 1);
    s->best_reply = s->weights.best_reply && s->others_number > 1;
}

static void weigh_moves(search *s) {
    for (int code = 1; code < CODES; code++) {
        kind k = kind_of(code >> 7);
        int rear = (code & 127) - 1;
        for (int index = 0; index < k.size && rear >= 0; index++) {
            int cell = rear + index * k.axis;
            int to = cell + k.step;
            if (cell < 0 || cell > 99 || to < 0 || to > 99)
                continue;
            for (int ring = 0; ring < 5; ring++) {
                if (RINGS[ring] >> to & 1)
                    s->gains[code] += s->weights.rings[ring];
                if (RINGS[ring] >> cell & 1)
                    s->gains[code] -= s->weights.rings[ring];
            }
        }
    }
}

static void recall(search *s, const given_root *root) {
    uint64_t mask = (1 << PAST_BITS) - 1;
    for (int index = 0; index < root->past_number; index++) {
        const uint64_t *words = root->past_marbles + 2 * (size_t)index * (size_t)root->players;
        uint64_t key = set_up(s, root, words, root->past_turns[index]).key, slot = key & mask;
        while (s->past[slot] && s->past[slot] != key)
            slot = (slot + 1) & mask;
        s->past[slot] = key;
    }
    s->has_past = root->past_number > 0;
}

static void set_clock(search *s) {
    double seconds = s->limits.seconds;
    if (seconds < 0)
        return;
    clock_gettime(CLOCK_MONOTONIC, &s->until);
    if (seconds > 1e6)
        seconds = 1e6;
    s->until.tv_sec += (time_t)seconds;
    s->until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (s->until.tv_nsec >= 1000000000) {
        s->until.tv_nsec -= 1000000000;
        s->until.tv_sec++;
    }
}

static void forget(search *s) {
    free(s->table);
    free(s->history);
    free(s->tried);
    free(s->pushing);
    free(s->quiet);
    free(s->lines);
    free(s);
}

/* Zeroed memory, in large pages if the system has them: quicker to search, and to give back. */
static known *table_of(int64_t size) {
    known *table = calloc((size_t)size, sizeof *table);
#ifdef MADV_HUGEPAGE
    uintptr_t page = 4096, from = ((uintptr_t)table + page) / page * page;
    if (table && from < (uintptr_t)(table + size))
        (void)madvise((void *)from, (uintptr_t)(table + size) - from, MADV_HUGEPAGE);
#endif
    return table;
}

static search *begin(int64_t table_size) {
    search *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->table = table_of(table_size);
    s->mask = (uint64_t)table_size - 1;
    s->history = calloc(MOVES, sizeof *s->history);
    s->tried = calloc(DEEPEST_PLY + 1, sizeof *s->tried);
    s->pushing = calloc(DEEPEST_PLY + 1, sizeof *s->pushing);
    s->quiet = calloc(DEEPEST_PLY + 1, sizeof *s->quiet);
    s->lines = calloc(DEEPEST_PLY + 2, sizeof *s->lines);
    if (s->table && s->history && s->tried && s->pushing && s->quiet && s->lines)
        return s;
    forget(s);
    return NULL;
}

const char *pbm_source(void) {
    return SOURCE;
}

/* Search; 0, or 1 for what is no root or no limit, 2 where there is no memory. */
int32_t pbm_search(
    const given_root *root, const numbers *weights, const given_limits *limits, outlook *out
) {
    memset(out, 0, sizeof *out);
    if (!is_sound(root, limits))
        return 1;
    search *s = begin(limits->table_size);
    root_moves *moves = malloc(sizeof *moves);
    scored *lines = calloc(MOST_LINES, sizeof *lines);
    int32_t failed = s && moves && lines ? 0 : 2;
    if (!failed) {
        s->weights = *weights;
        s->limits = *limits;
        make_keys(s);
        seat_players(s, root);
        weigh_moves(s);
        recall(s, root);
        set_clock(s);
        board b = set_up(s, root, &root->marbles[0][0], root->turn);
        find(s, &b, moves, lines, out);
    }
    free(lines);
    free(moves);
    if (s)
        forget(s);
    return failed;
}

/* The number of sequences of `depth` moves; -1 for what is no root, -2 where there is no memory. */
int64_t pbm_perft(const given_root *root, int32_t depth) {
    if (!is_sound(root, &(given_limits){.best = 1, .depth = 1, .table_size = 1}) || depth < 0)
        return -1;
    search *s = begin(1);
    if (!s)
        return -2;
    make_keys(s);
    seat_players(s, root);
    board b = set_up(s, root, &root->marbles[0][0], root->turn);
    int64_t sum = sequences(s, &b, depth);
    forget(s);
    return sum;
}
