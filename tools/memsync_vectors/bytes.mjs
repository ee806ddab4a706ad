// Bytes, hashes, and the error that names a check.

export class Refused extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

export function refuse(code) {
  throw new Refused(code);
}

export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const unhex = (text) => Uint8Array.from(Buffer.from(text, "hex"));
export const utf8 = (text) => new TextEncoder().encode(text);
export const equal = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;
export const order = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Text by its UTF-8 bytes, which is not the order of JavaScript's own strings. */
export const orderText = (a, b) => order(utf8(a), utf8(b));

export function join(...parts) {
  return Uint8Array.from(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

export function u32(number) {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, number);
  return out;
}

export async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
}
