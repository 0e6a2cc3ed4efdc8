// The board as SVG: cells, pieces, and marks on them. It knows points and signs, and no rules.

/** @typedef {{names: string[], cells: [number, number][], labels: [string, [number, number]][],
 *   corners: [number, number][], width: number, height: number, middle: [number, number],
 *   scale: [number, number]}} Shape As `Ground` in pbm/rules/contract.py. */
/** @typedef {{moving: [number, number][], size: number, from: number, to: number}} Drawn */

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 0.4; // of a step: how far from a cell's middle a tap counts
const RADIUS = 16;

export class View {
  /** @param {SVGSVGElement} svg @param {Shape} shape */
  constructor(svg, shape) {
    this.svg = svg;
    this.shape = shape;
    this.flipped = false;
    /** @type {SVGElement[]} */
    this.cells = [];
    /** @type {{at: [number, number], move: Drawn}[]} */
    this.arrows = [];
  }

  /** The place on the picture of a point of the shape.
   * @param {[number, number]} point */
  at([x, y]) {
    const { width, height, middle, scale } = this.shape;
    const seen = [middle[0] + scale[0] * x, middle[1] + scale[1] * y];
    return this.flipped ? [width - seen[0], height - seen[1]] : seen;
  }

  /** The empty board; the cells get a `label` when they are drawn. */
  ground() {
    const { width, height, corners, labels, cells, names } = this.shape;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.replaceChildren();
    const points = corners.map((corner) => this.at(corner).join()).join(" ");
    this.add(this.svg, "polygon", { class: "ground", points });
    for (const [text, point] of labels) this.text(this.svg, "label", point, text);
    cells.forEach((point, place) => {
      const [cx, cy] = this.at(point);
      this.add(this.svg, "circle", { class: "hole", cx, cy, r: RADIUS - 1 });
      this.text(this.svg, "name", point, names[place]);
    });
    this.pieces = this.add(this.svg, "g", {});
    this.marks = this.add(this.svg, "g", { class: "marks" });
    this.cells = cells.map((point) => {
      const [cx, cy] = this.at(point);
      const cell = this.add(this.svg, "g", { class: "cell", role: "button", tabindex: -1 });
      this.add(cell, "circle", { cx, cy, r: RADIUS + 1 });
      return cell;
    });
  }

  /** Draw the pieces. `written` gives the text on a piece. `came` are pairs of places from which
   * pieces glide in.
   * @param {string} signs @param {(place: number) => string} written @param {[number, number][]} came */
  put(signs, written, came) {
    const pieces = /** @type {SVGElement} */ (this.pieces);
    pieces.replaceChildren();
    const from = new Map(came.map(([start, end]) => [end, start]));
    [...signs].forEach((sign, place) => {
      if (sign !== ".") this.piece(pieces, sign, this.shape.cells[place], written(place), from.get(place));
    });
  }

  /** @param {Element} parent @param {string} sign @param {[number, number]} point @param {string} text
   * @param {number} [from] */
  piece(parent, sign, point, text, from) {
    const [cx, cy] = this.at(point);
    const piece = this.add(parent, "g", { class: `piece seat${sign === "#" ? "0" : sign}` });
    this.add(piece, "circle", { cx, cy, r: RADIUS });
    this.text(piece, "", point, text);
    if (from === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [x, y] = this.at(this.shape.cells[from]);
    const start = { transform: `translate(${x - cx}px, ${y - cy}px)` };
    piece.animate([start, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }

  /** Marks: rings around places, dots on targets, ghosts of what a move would do, arrows.
   * @param {{rings?: [string, number[]][], dots?: number[], arrows?: Drawn[],
   *   ghost?: Drawn | null, fallen?: any, signs?: string}} marks `fallen` has pushed a piece off. */
  mark({ rings = [], dots = [], arrows = [], ghost = null, fallen = null, signs = "" }) {
    const marks = /** @type {SVGElement} */ (this.marks);
    marks.replaceChildren();
    this.arrows = [];
    for (const [kind, places] of rings) for (const place of places) this.ring(marks, kind, place);
    for (const place of dots) {
      const [cx, cy] = this.at(this.shape.cells[place]);
      this.add(marks, "circle", { class: "dot", cx, cy, r: 6 });
    }
    for (const move of arrows) this.arrow(marks, move);
    if (fallen) {
      const [cx, cy] = this.at(this.beyond(fallen.moving[fallen.moving.length - 1][0], fallen));
      this.add(marks, "circle", { class: `ghost seat${fallen.off} off`, cx, cy, r: RADIUS - 2 });
    }
    for (const [from] of ghost?.moving ?? []) {
      const [cx, cy] = this.at(this.shape.cells[from]);
      this.add(marks, "circle", { class: "gone", cx, cy, r: RADIUS - 1 });
    }
    for (const [from, to] of ghost?.moving ?? []) {
      const sign = signs[from] === "#" ? "0" : signs[from];
      const [cx, cy] = this.at(to >= 0 ? this.shape.cells[to] : this.beyond(from, ghost));
      const off = to < 0 ? " off" : "";
      this.add(marks, "circle", { class: `ghost seat${sign}${off}`, cx, cy, r: RADIUS - 2 });
    }
  }

  /** @param {Element} marks @param {string} kind @param {number} place */
  ring(marks, kind, place) {
    const [cx, cy] = this.at(this.shape.cells[place]);
    this.add(marks, "circle", { class: `ring ${kind}`, cx, cy, r: RADIUS - 1 });
  }

  /** The point beside the board to which a piece is pushed.
   * @param {number} from @param {any} move */
  beyond(from, move) {
    const [dx, dy] = this.step(move);
    const [x, y] = this.shape.cells[from];
    return /** @type {[number, number]} */ ([x + dx * 0.8, y + dy * 0.8]);
  }

  /** How far a move's first piece goes.
   * @param {Drawn} move @returns {[number, number]} */
  step({ moving: [[from, to]] }) {
    const [one, other] = [this.shape.cells[from], this.shape.cells[to]];
    return [other[0] - one[0], other[1] - one[1]];
  }

  /** @param {Element} marks @param {Drawn} move */
  arrow(marks, move) {
    const line = move.moving.slice(0, move.size).map(([place]) => this.shape.cells[place]);
    const [x, y] = [0, 1].map((axis) => line.reduce((sum, point) => sum + point[axis], 0) / line.length);
    const [dx, dy] = this.step(move);
    const [ex, ey] = [line[0][0] - line[line.length - 1][0], line[0][1] - line[line.length - 1][1]];
    const along = Math.abs(dx * ey - dy * ex) < 0.01; // the step lies in the line
    const far = along ? (line.length + 1) / 2 : 0.9;
    const point = /** @type {[number, number]} */ ([x + dx * far, y + dy * far]);
    this.arrows.push({ at: point, move });
    const [cx, cy] = this.at(point);
    const turn = (Math.atan2(dy, dx) * 180) / Math.PI + (this.flipped ? 180 : 0);
    const group = this.add(marks, "g", { class: "arrow", transform: `translate(${cx} ${cy}) rotate(${turn})` });
    this.add(group, "circle", { r: 11 });
    this.add(group, "path", { d: "M-5 -5 L6 0 L-5 5 Z" });
  }

  /** What a pointer is at: a place, an arrow's move, or neither.
   * @param {{clientX: number, clientY: number}} event @returns {{place: number, move?: any}} */
  under(event) {
    const matrix = this.svg.getScreenCTM();
    if (!matrix) return { place: -1 };
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const away = (/** @type {[number, number]} */ point) => {
      const seen = this.at(point);
      return Math.hypot(seen[0] - x, seen[1] - y) / this.shape.scale[0];
    };
    const arrow = this.arrows.find(({ at }) => away(at) <= NEAR);
    if (arrow) return { place: -1, move: arrow.move };
    return { place: this.shape.cells.findIndex((point) => away(point) <= NEAR) };
  }

  /** The place next to one in the direction of an angle on the screen, or -1.
   * @param {number} place @param {number} degrees clockwise from the right */
  beside(place, degrees) {
    const [x, y] = this.at(this.shape.cells[place]);
    let [best, found] = [Infinity, -1];
    this.shape.cells.forEach((point, other) => {
      const [dx, dy] = [this.at(point)[0] - x, this.at(point)[1] - y];
      const far = Math.hypot(dx, dy) / this.shape.scale[0];
      if (other !== place && far < 1.5 && turned(dx, dy, degrees) < 31 && far < best) [best, found] = [far, other];
    });
    return found;
  }

  /** Whether a move goes in the direction of an angle on the screen.
   * @param {Drawn} move @param {number} degrees */
  goes(move, degrees) {
    const [dx, dy] = this.step(move);
    return (this.flipped ? turned(-dx, -dy, degrees) : turned(dx, dy, degrees)) < 31;
  }

  /** @param {Element} parent @param {string} name @param {Record<string, string | number>} given */
  add(parent, name, given) {
    const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, String(value));
    parent.append(element);
    return element;
  }

  /** @param {Element} parent @param {string} kind @param {[number, number]} point @param {string} text */
  text(parent, kind, point, text) {
    const [x, y] = this.at(point);
    const element = this.add(parent, "text", { class: kind, x, y, "aria-hidden": "true" });
    element.textContent = text;
  }
}

/** The angle between a vector and a direction.
 * @param {number} dx @param {number} dy @param {number} degrees */
function turned(dx, dy, degrees) {
  const angle = ((Math.atan2(dy, dx) * 180) / Math.PI - degrees + 900) % 360;
  return Math.abs(angle - 180);
}
