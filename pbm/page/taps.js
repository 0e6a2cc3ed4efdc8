// What taps on the board choose. Pure: places and legal moves in, a choice or a move out.

/** @typedef {{text: string, from: number, to: number, moving: [number, number][], size: number,
 *   pushed: number, off: number}} Tapped
 * A move: `from` and `to` are its two taps; `moving` has pairs of places, the first `size` of them
 * are the line that was named. */
/** @typedef {{first: number, other: number}} Choice `first` is the tapped place, `other` the
 * second end of a chosen line; each is -1 before it is chosen. */
/** @typedef {{choice: Choice, move?: Tapped, hint: "" | "targets" | "line" | "put-back" | "no-way"
 *   | "no-start"}} Answer */

/** @type {Choice} */
export const NOTHING = { first: -1, other: -1 };

/** @param {Choice} choice @param {number} place @param {Tapped[]} legal @returns {Answer} */
export function tap(choice, place, legal) {
  const { first, other } = choice;
  if (first < 0) return begin(place, legal);
  if (other >= 0) {
    const some = lineMoves(first, other, legal).filter((move) => move.to === place);
    if (some.length === 1) return { choice: NOTHING, move: some[0], hint: "" };
  }
  const move = legal.find((each) => each.from === first && each.to === place);
  if (move) return { choice: NOTHING, move, hint: "" };
  if (place === first || place === other) return { choice: NOTHING, hint: "put-back" };
  if (lineMoves(first, place, legal).length) return { choice: { first, other: place }, hint: "line" };
  return canMove(place, legal) ? begin(place, legal) : { choice, hint: "no-way" };
}

/** @param {number} place @param {Tapped[]} legal @returns {Answer} */
function begin(place, legal) {
  const alone = legal.find((move) => move.from === place && move.to === place);
  if (alone) return { choice: NOTHING, move: alone, hint: "" };
  if (!canMove(place, legal)) return { choice: NOTHING, hint: "no-start" };
  return { choice: { first: place, other: -1 }, hint: "targets" };
}

/** Whether a place is in the line of some move.
 * @param {number} place @param {Tapped[]} legal */
export function canMove(place, legal) {
  return legal.some((move) => move.from === place || lineOf(move).includes(place));
}

/** The moves whose second tap is told by the choice.
 * @param {Choice} choice @param {Tapped[]} legal */
export function targets({ first, other }, legal) {
  return other >= 0 ? lineMoves(first, other, legal) : legal.filter((move) => move.from === first);
}

/** @param {number} first @param {number} other @param {Tapped[]} legal */
function lineMoves(first, other, legal) {
  return legal.filter((move) => {
    const line = lineOf(move);
    const ends = [line[0], line[line.length - 1]];
    return line.length > 1 && ends.includes(first) && ends.includes(other);
  });
}

/** @param {Tapped} move */
const lineOf = (move) => move.moving.slice(0, move.size).map(([place]) => place);
