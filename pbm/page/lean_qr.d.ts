// What the page uses of lean_qr.js, which is minified.
export function generate(text: string): { size: number; get(x: number, y: number): boolean };
