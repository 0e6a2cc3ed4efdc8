// The rules of Abalone for the board page, as a plain ES module: no DOM, no Node, no search.
//
// docs/rules.md and the Python modules beside this file decide; a test holds this one against them.
// A cell is 10 * row + column, as in board.py. A place is a cell's index in reading order, which is
// what the page knows (`PageGame` in page/board.js).

/** @typedef {{at: number[], turn: number, scores: number[], out: number[], quiet: number,
 *   teams: boolean, winners: number[] | null, by: string}} Position
 * `at` has for each cell -1 off the board, 0 empty, the seat, or 7 for the fixed marble. `turn` is 0
 * once the game is over; then `winners` are the seats that won, none in a draw. */

/** @typedef {{text: string, from: number, to: number, moving: [number, number][], pushed: number,
 *   off: number, inLine: boolean, size: number, step: number}} Move
 * `from` and `to` are the two taps. `moving` has pairs of places, -1 for off the board; the first
 * `size` pairs are the line itself. `off` is the seat of the marble that is ejected, or 0. */

const STEPS = [1, 11, 10, -1, -11, -10]; // clockwise, from the right
const AXES = [1, 10, 11]; // the directions of a line in reading order
const MOST_PUSHED_OFF = 6;
const WIDTH = 40; // columns of a line of moves in a record
const [OFF, EMPTY, FIXED] = [-1, 0, 7];
const LETTERS = "abcdefghi";
/** @type {number[]} */
const CELLS = [];
for (let row = 1; row <= 9; row++) {
  for (let column = Math.max(1, row - 4); column <= Math.min(9, row + 4); column++) {
    CELLS.push(10 * row + column);
  }
}
const PLACE = Array(111).fill(-1);
CELLS.forEach((cell, place) => (PLACE[cell] = place));
const KINDS = STEPS.flatMap((step) =>
  [step, ...AXES.filter((axis) => axis !== Math.abs(step))].flatMap((axis) =>
    [1, 2, 3].filter((size) => size > 1 || axis === step).map((size) => ({ step, axis, size })),
  ),
);

/** @param {number} cell */
const nameOf = (cell) => LETTERS[Math.floor(cell / 10) - 1] + (cell % 10);

/** The names of the cells, in reading order. */
export const names = CELLS.map(nameOf);

/** @param {string} state @returns {Position} Throws an Error where the text is no state line. */
export function load(state) {
  const line = /^([1-6.#/]{69}) ([1-6]|-) ([0-6](?:,[0-6]){1,5}) (\S+)$/.exec(state);
  if (!line) throw new Error("no state line");
  const at = Array(111).fill(OFF);
  const rows = line[1].split("/");
  const signs = rows.join("");
  const fits = rows.every((row, number) => row.length === 9 - Math.abs(number - 4));
  if (rows.length !== 9 || !fits) throw new Error("no nine rows");
  CELLS.forEach((cell, place) => (at[cell] = signs[place] === "#" ? FIXED : Number(signs[place]) || EMPTY));
  const scores = line[3].split(",").map(Number);
  const flags = line[4].split(";");
  const flag = (/** @type {string} */ name) => flags.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1);
  const out = (flag("out") ?? "").split("+").filter(Boolean).map(Number);
  const position = { at, turn: 0, scores, out, quiet: Number(flag("quiet") ?? 0), teams: flags.includes("teams"), winners: null, by: "" };
  return settled(position, line[2] === "-" ? 1 : Number(line[2]));
}

/** @param {Position} position @returns {string} */
export function state(position) {
  const signs = signsOf(position);
  let [rows, done] = ["", 0];
  for (let row = 0; row < 9; row++) {
    const length = 9 - Math.abs(row - 4);
    rows += (row ? "/" : "") + signs.slice(done, (done += length));
  }
  const { out, quiet, winners } = position;
  const flags = [
    position.teams && "teams",
    out.length && `out=${out.join("+")}`,
    quiet && `quiet=${quiet}`,
    winners && (winners.length ? `won=${winners.join("+")}` : "draw"),
  ].filter(Boolean);
  return `${rows} ${position.turn || "-"} ${position.scores.join(",")} ${flags.join(";") || "-"}`;
}

/** One character for each cell: a dot, the digit of a seat, or `#`.
 * @param {Position} position */
export function signsOf(position) {
  return CELLS.map((cell) => ".123456#"[position.at[cell]]).join("");
}

/** @param {Position} position @returns {Move[]} The legal moves, in the order of the Python rules. */
export function moves(position) {
  return position.turn ? [...legal(position, position.turn)] : [];
}

/** @param {Position} position @param {number} seat @returns {Generator<Move>} */
function* legal(position, seat) {
  const { at } = position;
  const partner = partnerOf(position, seat);
  for (const { step, axis, size } of KINDS) {
    for (const rear of CELLS) {
      const line = lineOf(at, seat, partner, rear, axis, size);
      if (!line) continue;
      if (axis === step) {
        if (at[rear] !== seat) continue;
        let ahead = rear + size * step;
        let pushed = 0;
        while (at[ahead] > 0 && at[ahead] !== seat && at[ahead] !== partner && at[ahead] !== FIXED) {
          pushed++;
          ahead += step;
        }
        const falls = at[ahead] === OFF && pushed > 0;
        if (pushed < size && (at[ahead] === EMPTY || falls)) {
          const moving = [...line];
          for (let number = 0; number < pushed; number++) moving.push(rear + (size + number) * step);
          yield move(position, moving, size, step, true, rear, falls ? ahead - step : ahead);
        }
      } else if (line.every((cell) => at[cell + step] === EMPTY)) {
        // The first tap is the end from which the step lies 60 degrees off the line.
        const turned = (STEPS.indexOf(step) - STEPS.indexOf(axis) + 6) % 6;
        const [first, other] = turned === 1 || turned === 5 ? [rear, line[size - 1]] : [line[size - 1], rear];
        yield move(position, line, size, step, false, first, other + step);
      }
    }
  }
}

/** A line in which a seat may move the marbles, or null.
 * @param {number[]} at @param {number} seat @param {number} partner @param {number} rear
 * @param {number} axis @param {number} size */
function lineOf(at, seat, partner, rear, axis, size) {
  const line = [];
  let own = false;
  for (let number = 0; number < size; number++) {
    const cell = rear + number * axis;
    if (at[cell] !== seat && (!partner || at[cell] !== partner)) return null;
    own ||= at[cell] === seat;
    line.push(cell);
  }
  return own ? line : null;
}

/** @param {Position} position @param {number[]} cells @param {number} size @param {number} step
 * @param {boolean} inLine @param {number} from @param {number} to @returns {Move} */
function move(position, cells, size, step, inLine, from, to) {
  const [rear, front] = [cells[0], cells[size - 1]];
  const text = (rear === front ? nameOf(rear) : `${nameOf(rear)}-${nameOf(front)}`) + `,${nameOf(rear + step)}`;
  const moving = cells.map((cell) => /** @type {[number, number]} */ ([PLACE[cell], PLACE[cell + step] ?? -1]));
  const last = cells[cells.length - 1];
  const off = cells.length > size && position.at[last + step] === OFF ? position.at[last] : 0;
  return { text, from: PLACE[from], to: PLACE[to], moving, pushed: cells.length - size, off, inLine, size, step };
}

/** A game from its start as APGN, as in docs/records.md. Each item of `line` but the first has the move
 * that led to its position. `winners` are those of a game that no move has ended.
 * @param {{position: Position, move: Move | null}[]} line @param {string[]} players
 * @param {{layout: string, teams?: boolean, pillar?: boolean}} options
 * @param {number[] | null} [winners] @returns {string} */
export function record(line, players, { layout, teams, pillar }, winners) {
  const count = players.length;
  const result = resultOf(line[line.length - 1].position.winners ?? winners ?? null, count);
  const seats = players.map((player, index) => [count === 2 ? ["Black", "White"][index] : `Seat${index + 1}`, player]);
  const tags = [
    ...seats.filter(([, player]) => player),
    ["Variant", layout],
    ...(count === 2 ? [] : [["Players", count]]),
    ...(teams ? [["Teams", "1+3 2+4"]] : []),
    ...(pillar ? [["Pillar", "e5"]] : []),
    ["Notation", "pbm"],
    ["Result", result],
  ];
  let number = 0;
  const words = line.slice(1).map(({ move }, index) => {
    const begins = !index || line[index].position.turn <= line[index - 1].position.turn;
    return `${begins ? `${++number}. ` : ""}${move?.text}`;
  });
  const lines = [""];
  for (const word of [...words, result]) {
    const last = lines.length - 1;
    if (!lines[last]) lines[last] = word;
    else if (lines[last].length + 1 + word.length <= WIDTH) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  const escaped = (/** @type {unknown} */ value) => String(value).replace(/["\\]/g, "\\$&");
  return [...tags.map(([name, value]) => `[${name} "${escaped(value)}"]`), "", ...lines, ""].join("\n");
}

/** @param {number[] | null} winners @param {number} players */
function resultOf(winners, players) {
  if (!winners) return "*";
  if (!winners.length) return players === 2 ? "1/2-1/2" : "draw";
  return players === 2 ? ["1-0", "0-1"][winners[0] - 1] : winners.join("+");
}

/** The legal move that a text names, as in docs/rules.md, section 4; undefined if it names none.
 * @param {string} text @param {Move[]} legal @returns {Move | undefined} */
export function read(text, legal) {
  const plain = text.normalize("NFKC").toLowerCase().replace(/[‐‑‒–—―−]/g, "-");
  const found = /^([a-i]\d)(?:-([a-i]\d))?(?:->|[ ,;:>])([a-i]\d)$/.exec(plain.trim().replace(/\s*([-,;:> ])\s*/g, "$1"));
  if (!found) return undefined;
  const cell = (/** @type {string} */ name) => 10 * (LETTERS.indexOf(name[0]) + 1) + Number(name[1]);
  const [first, last, target] = [found[1], found[2] ?? found[1], found[3]].map(cell);
  const step = STEPS.includes(target - first) ? target - first : target - last;
  const ends = [first, last].sort((one, other) => one - other).join();
  const endsOf = (/** @type {Move} */ { moving, size }) =>
    [moving[0][0], moving[size - 1][0]].map((place) => CELLS[place]).sort((one, other) => one - other).join();
  return legal.find((move) => move.step === step && endsOf(move) === ends);
}

/** A move in words. `whose` gives the owner of a seat's marbles, such as "bob's".
 * @param {Move} move @param {Position} position @param {(seat: number) => string} whose */
export function told(move, position, whose) {
  const [from, to] = [0, 1].map((index) => move.moving.map((pair) => names[pair[index]] ?? ""));
  const { size, pushed } = move;
  const line = from.slice(0, size).join(" ");
  if (!pushed) return `${line} ${move.inLine ? "" : "sideways "}to ${to.slice(0, size).join(" ")}`;
  const owners = [...new Set(move.moving.slice(size).map(([place]) => position.at[CELLS[place]]))].map(whose);
  const pushes = `${line} pushes ${owners.join(" and ")} ${from.slice(size).join(" ")}`;
  const on = to.slice(size).filter(Boolean).join(" ");
  if (!move.off) return `${pushes} to ${on}`;
  return pushed === 1 ? `${pushes} off the board` : `${pushes} to ${on} and off the board`;
}

/** @param {Position} position @param {Move} move @returns {Position} The position after a legal move. */
export function play(position, move) {
  const at = [...position.at];
  for (const [from] of move.moving) at[CELLS[from]] = EMPTY;
  for (const [from, to] of move.moving) if (to >= 0) at[CELLS[to]] = position.at[CELLS[from]];
  const scorers = [position.turn, partnerOf(position, position.turn)];
  const counts = move.off && !position.out.includes(move.off);
  const scores = position.scores.map((score, index) => score + Number(counts && scorers.includes(index + 1)));
  const after = { ...position, at, scores, quiet: move.off ? 0 : position.quiet + 1 };
  return settled(after, (position.turn % scores.length) + 1);
}

/** The position with its turn and its end; `first` moves if it can.
 * @param {Position} position @param {number} first @returns {Position} */
function settled(position, first) {
  const end = won(position);
  if (end) return { ...position, turn: 0, ...end };
  const players = position.scores.length;
  for (let number = 0; number < players; number++) {
    const seat = ((first - 1 + number) % players) + 1;
    const partner = partnerOf(position, seat);
    const played = !position.out.includes(seat) || (partner > 0 && !position.out.includes(partner));
    if (played && !legal(position, seat).next().done) return { ...position, turn: seat, winners: null, by: "" };
  }
  return { ...position, turn: 0, winners: [], by: "none" };
}

/** @param {Position} position @returns {{winners: number[], by: string} | null} */
function won(position) {
  const seats = position.scores.map((_, index) => index + 1);
  const groups = position.teams ? [[1, 3], [2, 4]] : seats.map((seat) => [seat]);
  const first = position.scores.findIndex((score) => score >= MOST_PUSHED_OFF) + 1;
  if (first) return { winners: groups.find((group) => group.includes(first)) ?? [], by: "ejections" };
  const stillIn = groups.filter((group) => group.some((seat) => !position.out.includes(seat)));
  const withMarbles = stillIn.filter((group) => group.some((seat) => position.at.includes(seat)));
  const left = [stillIn, withMarbles].find((some) => some.length === 1);
  return left ? { winners: left[0], by: "last" } : null;
}

/** @param {Position} position @param {number} seat @returns {number} 0 without teams */
const partnerOf = (position, seat) => (position.teams ? ((seat + 1) % 4) + 1 : 0);
