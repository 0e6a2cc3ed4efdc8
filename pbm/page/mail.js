// The link that brings a board, and the mail that plays a move. Pure, but for what inflates the link.

/** @typedef {{g: string, t: string, b: number, p: number, s: string, m: string[], n: string[],
 *   y: number[], o: number[], l: number, k?: number, a: string, x?: any, r?: number[], d?: any}} Linked
 * The game's name and title, the board's number, the plies played, the state before the moves, these
 * moves, the handles, the seats for which the reader moves, the reader's own seats, whether the game
 * goes on, the plies taken back, and the address; its detail (such as g12.u7.TAG) stands in the link
 * by itself, so that whoever keeps or quotes the link can mask it. Whoever only looks on has no
 * address and no detail. A game from its start has its options (x) and, once it is over, who won (r);
 * a game without rules on the page has what `listed.js` reads (d). */

const Inflating = /** @type {any} */ (globalThis).DecompressionStream; // newer than Debian's tsc
const MOST = 1500; // characters of a mailto link that every mail program takes
const LINK = /^#?1\.((?:(?:g\d{1,9}\.)?u\d{1,9}\.[a-z0-9]{17,18})?)\.([A-Za-z0-9_-]+)z$/;

/** What a link's fragment tells.
 * @param {string} fragment @returns {Promise<Linked>} Throws if it
 * is cut off or changed. */
export async function readLink(fragment) {
  const found = LINK.exec(decodeURIComponent(fragment.trim()));
  if (!found) throw new Error("no link of ours");
  const letters = atob(found[2].replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new Inflating("deflate"));
  const told = JSON.parse(await new Response(stream).text());
  if (!found[1] !== !told.a) throw new Error("a link without its tag");
  return { ...told, a: told.a.replace("@", `${found[1]}@`) };
}

/** @param {string} text */
const encoded = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The link that opens the mail, and whether the words fit into it.
 * @param {string} address @param {string} subject @param {string} words @param {boolean} isIos */
export function mailto(address, subject, words, isIos) {
  const at = address.lastIndexOf("@");
  const link = `mailto:${encoded(address.slice(0, at))}@${encoded(address.slice(at + 1))}?subject=${encoded(subject)}`;
  const lines = words.trim().split(/\s*\n/);
  const body = encoded(lines.join(isIos ? " / " : "\r\n"));
  const whole = body ? `${link}&body=${body}` : link;
  return whole.length < MOST ? { href: whole, fits: true } : { href: link, fits: false };
}
