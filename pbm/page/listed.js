// A game without rules on the page: its legal moves came in the link, each with what it changes.

/** @param {{names: string[], signs: string, turn: number, scores: number[],
 *   moves: [string, number, number, [number, string][]][]}} given */
export function listed(given) {
  const now = { signs: given.signs, turn: given.turn, scores: given.scores, winners: null };
  const legal = given.moves.map(([text, from, to, changes]) => ({
    text,
    from,
    to,
    moving: from === to ? [] : [[from, to]],
    size: from === to ? 0 : 1,
    pushed: 0,
    off: 0,
    changes,
  }));
  return {
    names: given.names,
    load: () => now,
    state: () => "",
    signsOf: (/** @type {any} */ position) => position.signs,
    moves: (/** @type {any} */ position) => (position === now ? legal : []),
    read: (/** @type {string} */ text, /** @type {any[]} */ moves) =>
      moves.find((move) => move.text === text.trim().toLowerCase()),
    told: (/** @type {any} */ move) => move.text,
    play: (/** @type {any} */ position, /** @type {any} */ move) => {
      const signs = [...position.signs];
      for (const [place, sign] of move.changes) signs[place] = sign;
      return { ...position, signs: signs.join("") };
    },
  };
}
