// The part of CBOR that memsync/1 speaks, and its one spelling.
import { decode as read, encode as write, rfc8949EncodeOptions } from "cborg";
import { equal, refuse } from "./bytes.mjs";

const DEPTH_MAX = 6;

export const encode = (value) => write(value, rfc8949EncodeOptions);

export function decode(data, what) {
  if (end(data, 0, DEPTH_MAX) !== data.length) refuse(`${what}-cbor`);
  let value;
  try {
    value = read(data, { useMaps: true, strict: false, rejectDuplicateMapKeys: false });
    // cborg reads text that is no UTF-8 without a word.
    end(data, 0, DEPTH_MAX, (text) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text));
  } catch {
    refuse(`${what}-cbor`);
  }
  if (!equal(encode(value), data)) refuse(`${what}-spelling`);
  return value;
}

/** Where the item at `at` ends; past the end when it is none of ours. Nothing is built before this is known. */
function end(data, at, depth, onText) {
  const wrong = data.length + 1;
  if (depth === 0 || at >= data.length) return wrong;
  const major = data[at] >> 5;
  const short = data[at] & 31;
  at += 1;
  const size = short < 24 ? 0 : 2 ** (short - 24);
  if (size > 8) return wrong;
  let number = short;
  if (size) {
    number = 0;
    for (let n = 0; n < size; n += 1) number = number * 256 + (data[at + n] ?? 0);
  }
  at += size;
  if (major === 0) return at;
  if (major === 3 && onText) onText(data.subarray(at, at + number));
  if (major === 2 || major === 3) return at + number;
  if (major !== 4 && major !== 5) return wrong;
  const items = major === 4 ? number : 2 * number;
  for (let n = 0; n < items; n += 1) {
    at = end(data, at, depth - 1, onText);
    if (at > data.length) return wrong;
  }
  return at;
}
