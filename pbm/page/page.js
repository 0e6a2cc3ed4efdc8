// The board page: what is shown, and what taps, keys, texts and buttons do.

import * as abalone from "./abalone.js";
import { generate } from "./lean_qr.js";
import { listed } from "./listed.js";
import { mailto, readLink } from "./mail.js";
import { NOTHING, canMove, tap, targets } from "./taps.js";
import { View } from "./view.js";

/** @type {Record<string, any>} What the build writes here: shapes of games, colours, titles. */
const BUILT = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("built")).textContent ?? "{}");
/** @type {Record<string, any>} */
const GAMES = { abalone };
const MOST_PLANNED = 12; // moves in a line of a plan, as the server has it
const ANGLES = { 6: 0, 3: 60, 1: 120, 4: 180, 7: 240, 9: 300 };
/** @type {Record<string, number>} */
const KEYS = { ...ANGLES, ArrowRight: 0, PageDown: 60, ArrowDown: 120, ArrowLeft: 180, ArrowUp: 240, PageUp: 300 };
const IS_IOS = /iPhone|iPad|iPod/.test(navigator.userAgent);

const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const view = new View($("svg"), BUILT.shapes.abalone);

/** All that the page shows. `line` has the positions of the game and, behind them, of what is tried.
 * @type {any} */
let S;

async function start() {
  try {
    if (location.hash.length < 2) throw new Error("no fragment");
    const link = await readLink(location.hash);
    const game = link.d ? listed(link.d) : GAMES[link.g];
    view.shape = link.d ? link.d.shape : BUILT.shapes[link.g];
    const line = [{ position: game.load(link.s), move: null }];
    for (const text of link.m) {
      const { position } = line[line.length - 1];
      const move = game.moves(position).find((/** @type {any} */ each) => each.text === text);
      line.push({ position: game.play(position, move), move });
    }
    S = { link, game, line, played: line.length, at: line.length - 1, tried: line.length, chosen: null, choice: NOTHING, cursor: -1, signs: "" };
  } catch {
    $("game").hidden = true;
    $("without").hidden = false;
    const isOld = !("DecompressionStream" in window);
    $("old").hidden = location.hash.length < 2 || !isOld;
    $("broken").hidden = location.hash.length < 2 || isOld;
    document.title = "How to answer by mail";
    return;
  }
  $("without").hidden = true;
  $("game").hidden = false;
  $("move").value = $("words").value = $("filter").value = "";
  const own = S.link.o[0];
  view.flipped = false;
  document.title = `${S.link.t} board ${S.link.b}`;
  $("title").textContent = `${S.link.t} board ${S.link.b}`;
  S.cursor = Math.max(0, [...S.game.signsOf(now())].indexOf(String(own ?? 1)));
  $("share").hidden = !navigator.share;
  $("code").open = false;
  $("code").hidden = !location.protocol.startsWith("http"); // no other machine has a file of ours
  $("copyrecord").hidden = !S.link.x || !S.game.record;
  ground();
  show();
  say(isMine() ? "Tap a piece, or choose below." : "");
}

const now = () => S.line[S.at].position;
const legal = () => S.game.moves(now());
const plyAt = (/** @type {number} */ at) => S.link.p - (S.played - 1) + at;
/** Where in the game what is tried begins: its first item may stand there once more.
 * @param {number} at */
const inGame = (at) => S.line.indexOf(S.line[at]);
const isTried = () => S.at >= S.played;
const isNow = () => S.at === S.played - 1;
const isMine = () => isNow() && S.link.l && S.link.y.includes(now().turn);
const name = (/** @type {number} */ place) => S.game.names[place];
const handle = (/** @type {number} */ seat) => S.link.n[seat - 1] ?? "";
const isOwn = (/** @type {number} */ seat) => S.link.o.includes(seat);
const whose = (/** @type {number} */ seat) => (isOwn(seat) ? "your" : `${handle(seat)}'s`);
const told = (/** @type {any} */ move) => S.game.told(move, now(), whose);
const sides = () => S.link.n.length;
const signOf = (/** @type {number} */ seat) => (sides() === 2 ? BUILT.two[seat - 1] : String(seat));

// -- showing ----------------------------------------------------------------------------------

function ground() {
  view.ground();
  view.cells.forEach((cell, place) => {
    cell.addEventListener("focus", () => visit(place));
    cell.addEventListener("pointerenter", () => hover(place));
    cell.addEventListener("pointerleave", () => hover(-1));
  });
}

/** Draw all.
 * @param {[number, number][]} [glide] the pieces that move into their places */
function show(glide = []) {
  const position = now();
  const after = S.chosen ? S.game.play(position, S.chosen) : position;
  S.signs = S.game.signsOf(after);
  view.put(S.signs, written, glide);
  view.cells.forEach((cell, place) => {
    cell.setAttribute("aria-label", `${name(place)}, ${occupant(place)}`);
    cell.setAttribute("tabindex", place === S.cursor ? "0" : "-1");
  });
  marks();
  players(after);
  steps();
  mail();
  list();
}

/** The text on a piece: the name of its cell. Of more than two players, only those of the player who
 * moves next have it, the others the sign of their seat.
 * @param {number} place */
function written(place) {
  const sign = S.signs[place];
  if (sign === "#") return "";
  const named = isOwn(Number(sign)) || (!S.link.o.length && Number(sign) === now().turn);
  return named || sides() === 2 ? name(place) : sign;
}

/** @param {number} place */
function occupant(place) {
  const sign = S.signs[place];
  if (sign === ".") return "empty";
  if (sign === "#") return "the pillar";
  return isOwn(Number(sign)) ? "yours" : whose(Number(sign));
}

function marks(/** @type {any} */ ghost = null) {
  const last = S.chosen ?? S.line[S.at].move;
  const came = last ? last.moving.map((/** @type {number[]} */ pair) => pair[1]).filter((/** @type {number} */ place) => place >= 0) : [];
  const left = last ? last.moving.map((/** @type {number[]} */ pair) => pair[0]).filter((/** @type {number} */ place) => S.signs[place] === ".") : [];
  const { first, other } = S.choice;
  const chosen = [first, other].filter((place) => place >= 0);
  const some = S.chosen || first < 0 ? [] : targets(S.choice, legal());
  view.mark({
    rings: [["left", chosen.length ? [] : left], ["came", chosen.length ? [] : came], ["first", chosen], ["cursor", S.cursor >= 0 ? [S.cursor] : []]],
    dots: other < 0 ? some.map((move) => move.to) : [],
    arrows: other < 0 ? [] : some,
    ghost,
    fallen: last?.off ? last : null,
    signs: S.signs,
  });
}

function players(/** @type {any} */ position) {
  const rows = S.link.n.map((/** @type {string} */ it, /** @type {number} */ index) => {
    const seat = index + 1;
    const row = document.createElement("li");
    row.className = seat === position.turn ? "turn" : "";
    const chip = document.createElement("b");
    chip.className = `chip seat${seat}`;
    chip.textContent = signOf(seat);
    const score = document.createElement("span");
    score.className = "score";
    score.textContent = position.scores ? String(position.scores[index]) : "";
    const out = position.out?.includes(seat) ? " (left)" : "";
    row.append(chip, ` ${it}${isOwn(seat) ? " (you)" : ""}${out} `, score);
    return row;
  });
  $("players").replaceChildren(...rows);
  $("standing").textContent = opening();
}

function opening() {
  const position = now();
  if (isTried()) return "You are trying moves. Nothing is sent.";
  const winners = position.winners ?? (S.link.l ? null : S.link.r);
  if (winners) {
    const won = winners.map((/** @type {number} */ seat) => (isOwn(seat) ? "you" : handle(seat))).join(" and ");
    return won ? `The game is over: ${won} won.` : "The game is over: a draw.";
  }
  if (!S.link.l) return "The game is over.";
  if (isMine()) return "Your move.";
  if (isNow()) return `${handle(position.turn)}'s move. You can look and try.`;
  return `Before move #${plyAt(S.at) + 1}. You can look and try.`;
}

function steps() {
  const ply = plyAt(S.at);
  const { move } = S.line[S.at];
  const before = S.at ? S.line[S.at - 1].position.turn : 0;
  const game = move ? `#${ply} ${handle(before)} ` : `after #${ply}`;
  const tried = S.at < S.tried ? `from #${plyAt(inGame(S.at))}` : "tried: ";
  const text = document.createElement("span");
  text.textContent = (!isTried() || S.at >= S.tried) && move ? move.text : "";
  $("step").replaceChildren(isTried() ? tried : game, text);
  $("first").disabled = $("back").disabled = !S.at;
  $("next").disabled = $("last").disabled = S.at === S.line.length - 1;
  $("now").hidden = isNow();
  $("try").hidden = !S.chosen || Boolean(S.link.d);
  keep();
}

/** Ways to keep what is tried: a note, or a plan where others are to move first. */
function keep() {
  const some = isTried() ? S.line.slice(S.tried, S.at + 1) : [];
  $("keep").hidden = !some.length || !S.link.o.length;
  const moves = some.map((/** @type {any} */ { move }) => move.text);
  const movers = some.map((/** @type {any} */ _, /** @type {number} */ index) => S.line[S.tried + index - 1].position.turn);
  const plays = (/** @type {number} */ seat) => S.link.y.includes(seat);
  // A line of a plan names the others where there are several: "if bob M carol M then M".
  const line = moves.map((/** @type {string} */ text, /** @type {number} */ index) => {
    if (plays(movers[index])) return `then ${text}`;
    const goesOn = index > 0 && !plays(movers[index - 1]);
    return `${goesOn ? "" : "if "}${sides() > 2 ? `${handle(movers[index])} ` : ""}${text}`;
  });
  const from = S.tried === S.played ? "" : ` (from #${plyAt(inGame(S.tried - 1))})`;
  $("note").href = mailto(S.link.a, `note ${S.link.b}`, `Tried${from}: ${moves.join("  ")}`, IS_IOS).href;
  const fits = S.link.l && !from && moves.length > 1 && moves.length <= MOST_PLANNED && !plays(movers[0]) && plays(movers[movers.length - 1]);
  $("plan").hidden = !fits;
  $("plan").href = mailto(S.link.a, `plan ${S.link.b}#${S.link.p}${takenBack()} ${line.join(" ")}`, "", IS_IOS).href;
}

/** So that a late mail is not taken for another position; older links do not tell it. */
const takenBack = () => (S.link.k === undefined ? "" : ` @${S.link.k}`);

function mail() {
  const playable = Boolean(isMine());
  $("answer").hidden = !playable;
  const label = playable ? "Your move" : "A move to try";
  $("label").textContent = label;
  const move = S.chosen;
  $("send").hidden = !move;
  if (!playable || !move) return;
  const subject = `move ${S.link.b}#${S.link.p + 1}${takenBack()} ${move.text}`;
  const { href, fits } = mailto(S.link.a, subject, $("words").value, IS_IOS);
  $("mail").href = href;
  $("long").hidden = $("copywords").hidden = fits;
  $("line").textContent = move.text;
}

function list() {
  const wanted = $("filter").value.trim().toLowerCase();
  const moves = legal();
  const rows = moves.map((/** @type {any} */ move) => ({ move, words: told(move) }));
  const some = rows.filter((/** @type {any} */ row) => `${row.words} ${row.move.text}`.toLowerCase().includes(wanted));
  $("count").textContent = `All ${moves.length} moves in words`;
  $("moves").replaceChildren(
    ...some.map((/** @type {any} */ { move, words }) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = words;
      button.addEventListener("click", () => choose(move));
      item.append(button);
      return item;
    }),
  );
}

/** @param {string} text */
function say(text) {
  $("hint").textContent = text;
}

// -- choosing ---------------------------------------------------------------------------------

/** @param {any} move @param {boolean} [typed] */
function choose(move, typed = false) {
  S.chosen = move;
  S.choice = NOTHING;
  if (!typed) $("move").value = move.text;
  show(move.moving.filter((/** @type {number[]} */ pair) => pair[1] >= 0));
  const push = move.off ? `, which scores${isOwn(now().turn) ? " for you" : ""}` : "";
  say(`${told(move)}${push}.`);
}

function undo(/** @type {string} */ why) {
  const had = S.chosen;
  S.chosen = null;
  S.choice = NOTHING;
  $("move").value = "";
  show(had ? had.moving.filter((/** @type {number[]} */ pair) => pair[1] >= 0).map((/** @type {number[]} */ [a, b]) => [b, a]) : []);
  say(why);
}

/** A tap on a place, or on the arrow of a move.
 * @param {number} place @param {any} [move] */
function tapped(place, move) {
  if (S.chosen) return undo("Taken back. Choose again.");
  if (move) return choose(move);
  if (place < 0) return undefined;
  const moves = legal();
  const before = S.choice;
  const answer = tap(before, place, moves);
  if (answer.move) return choose(answer.move);
  S.choice = answer.choice;
  point(place);
  marks();
  return say(hint(answer.hint, place, before));
}

/** @param {string} what @param {number} place @param {any} before */
function hint(what, place, before) {
  const some = targets(S.choice, legal());
  if (what === "targets" && !some.length) return `${name(place)}. Now tap the other end of a line.`;
  if (what === "targets") return `${name(place)}. ${targetsTold(some)}`;
  if (what === "line") return `Line ${name(S.choice.first)} to ${name(place)}. It can go ${some.length === 1 ? "one way" : `${some.length} ways`}: choose an arrow.`;
  if (what === "put-back") return "Put back.";
  if (what === "no-way") return `No move leads from ${name(before.first)} to ${name(place)}.`;
  if (!now().turn) return "The game is over.";
  const sign = S.signs[place];
  if (sign === ".") return `${name(place)} is empty. Tap a piece first.`;
  return Number(sign) === now().turn ? `${name(place)} cannot move now.` : `${name(place)} is ${occupant(place)}; it is ${isOwn(now().turn) ? "your" : `${handle(now().turn)}'s`} move.`;
}

/** @param {any[]} some */
const targetsTold = (some) =>
  `${some.length === 1 ? "One target" : `${some.length} targets`}: ${some.map((move) => name(move.to)).join(", ")}.`;

/** @param {number} place */
function hover(place) {
  if (S.chosen || S.choice.first < 0) return;
  const move = place < 0 ? null : targets(S.choice, legal()).find((each) => each.to === place);
  marks(move);
}

/** The cursor comes to a place: say what matters there.
 * @param {number} place */
function visit(place) {
  point(place);
  if (S.chosen) return;
  const moves = legal();
  const some = targets(S.choice, moves);
  const aim = S.choice.first >= 0 && some.find((move) => move.to === place);
  marks(aim || null);
  if (aim) return say(`${name(place)}: ${told(aim)}.`);
  const from = targets({ first: place, other: -1 }, moves);
  const push = from.find((move) => move.off) ?? from.find((move) => move.pushed);
  say(`${name(place)}, ${occupant(place)}${push ? `; ${told(push)}` : from.length ? `; ${targetsTold(from)}` : ""}`.replace(/\.?$/, "."));
}

/** Let the cursor stand on a place.
 * @param {number} place */
function point(place) {
  view.cells[S.cursor]?.setAttribute("tabindex", "-1");
  S.cursor = place;
  view.cells[place].setAttribute("tabindex", "0");
}

// -- pointer, keys, buttons -------------------------------------------------------------------

let pressed = -2; // the place where a pointer went down, -1 beside all, -2 once it is up
$("svg").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
  const { place, move } = view.under(event);
  pressed = place;
  // A finger may begin to scroll here; what it means is known when it is lifted.
  if (event.pointerType === "touch") return;
  event.preventDefault();
  if (move || place >= 0 || S.chosen) tapped(place, move);
});
addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
  if (!S || pressed === -2) return;
  const { place, move } = view.under(event);
  const [start, isTouch] = [pressed, event.pointerType === "touch"];
  pressed = -2;
  if (isTouch && $("svg").contains(event.target) && (place === start || start < 0)) return tapped(place, move);
  if (isTouch && start >= 0 && place >= 0 && S.choice.first !== start) tapped(start);
  if (start >= 0 && place >= 0 && place !== start && S.choice.first === start && !S.chosen) tapped(place);
});
addEventListener("pointercancel", () => (pressed = -2));

/** @type {Record<string, () => void>} */
const LETTERS = {
  o: () => goThrough((sign) => Number(sign) === (S.link.o[0] ?? now().turn)),
  x: () => goThrough((sign) => sign !== "." && sign !== "#" && !isOwn(Number(sign))),
  l: () => {
    const at = inGame(S.at);
    const { move } = S.line[at];
    const before = at && S.line[at - 1].position;
    say(move ? `The last move: ${handle(before.turn)}, ${S.game.told(move, before, whose)}.` : "The link tells of no earlier move.");
  },
  t: () => {
    const choice = S.choice.first < 0 ? { first: S.cursor, other: -1 } : S.choice;
    const some = targets(choice, legal());
    say(some.length ? some.map((move) => `${name(move.to)}: ${told(move)}`).join("; ") + "." : `No move begins at ${name(choice.first)}.`);
  },
  "?": () => {
    $("keys").open = true;
    $("keys").querySelector("summary").focus();
  },
};

/** Move the cursor to the next piece that fits.
 * @param {(sign: string) => boolean} fits */
function goThrough(fits) {
  const all = [...S.signs];
  const places = all.map((_, index) => (S.cursor + 1 + index) % all.length);
  const next = places.find((place) => fits(all[place]));
  if (next !== undefined) view.cells[next].focus();
}

$("svg").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const angle = KEYS[event.key];
  if (event.key === "Enter" || event.key === " ") tapped(S.cursor);
  else if (event.key === "Escape") undo("Nothing is chosen.");
  else if (angle !== undefined) go(angle);
  else if (LETTERS[event.key.toLowerCase()]) LETTERS[event.key.toLowerCase()]();
  else return;
  event.preventDefault();
});

/** @param {number} angle */
function go(angle) {
  if (S.choice.other >= 0) {
    const move = targets(S.choice, legal()).find((each) => view.goes(each, angle));
    return move ? choose(move) : say("The line cannot go that way.");
  }
  const next = view.beside(S.cursor, angle);
  return next < 0 ? say("The edge of the board.") : view.cells[next].focus();
}

$("move").addEventListener("input", () => {
  const text = $("move").value;
  const move = S.game.read(text, legal());
  if (move) return choose(move, true);
  if (S.chosen) {
    S.chosen = null;
    show();
  }
  const example = legal()[0]?.text;
  return say(text.trim() && example ? `No legal move yet. A move looks like ${example}.` : "");
});
$("words").addEventListener("input", mail);
$("filter").addEventListener("input", list);
$("form").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());

/** @param {number} at */
function stepTo(at) {
  const forward = at === S.at + 1;
  S.at = Math.max(0, Math.min(S.line.length - 1, at));
  S.chosen = null;
  S.choice = NOTHING;
  $("move").value = "";
  const move = forward && S.line[S.at].move;
  show(move ? move.moving.filter((/** @type {number[]} */ pair) => pair[1] >= 0) : []);
  say(`${$("step").textContent}. ${opening()}`);
}

$("first").addEventListener("click", () => stepTo(0));
$("back").addEventListener("click", () => stepTo(S.at - 1));
$("next").addEventListener("click", () => stepTo(S.at + 1));
$("last").addEventListener("click", () => stepTo(S.line.length - 1));
$("now").addEventListener("click", () => {
  S.line.length = S.played;
  stepTo(S.played - 1);
});
$("flip").addEventListener("click", () => {
  view.flipped = !view.flipped;
  ground();
  show();
  say(view.flipped ? "The board is turned." : "The board stands as in the mails.");
});
$("try").addEventListener("click", () => {
  const position = S.game.play(now(), S.chosen);
  const move = S.chosen;
  // What is tried stands behind the game; from an earlier position it begins anew.
  const before = S.line[S.at];
  if (!isTried()) {
    S.line.length = S.played;
    if (S.at < S.played - 1) S.line.push(before);
    S.tried = S.line.length;
  } else S.line.length = S.at + 1;
  S.line.push({ position, move });
  stepTo(S.line.length - 1);
});

/** @param {string} text @param {HTMLElement} button @param {string} [what] */
async function copy(text, button, what = text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
    button.focus();
  }
  say(`Copied: ${what}`);
}

$("copy").addEventListener("click", () => copy(S.chosen.text, $("copy")));
$("copywords").addEventListener("click", () => copy($("words").value, $("copywords")));
$("copystate").addEventListener("click", () => copy(S.game.state(now()) || S.link.s, $("copystate")));
$("copyrecord").addEventListener("click", () => {
  const upTo = (/** @type {number} */ at) => S.line.slice(0, at + 1);
  const line = isTried() ? [...upTo(inGame(S.tried - 1)), ...S.line.slice(S.tried, S.at + 1)] : upTo(S.at);
  copy(S.game.record(line, S.link.n, S.link.x, isNow() ? S.link.r : null), $("copyrecord"), "the game up to here");
});
$("share").addEventListener("click", () => {
  const text = [S.chosen.text, $("words").value.trim()].filter(Boolean).join("\n");
  navigator.share({ text }).catch(() => undefined);
});

$("code").addEventListener("toggle", () => {
  if (!$("code").open) return;
  const code = generate(location.href);
  let path = "";
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  }
  $("qr").setAttribute("viewBox", `-4 -4 ${code.size + 8} ${code.size + 8}`);
  $("qr").firstChild.setAttribute("d", path);
});

addEventListener("hashchange", start);
start();
