// What a change may contain: keys, their digests, the one spelling of JSON.
import { orderText, refuse, sha256, utf8 } from "./bytes.mjs";

export const MAPS = ["e", "l", "r", "v"];
export const OPS_MAX = 2000;
export const KEY_MAX = 128;
export const CHANGE_MAX = 256 * 1024;
const LABEL_MAX = 80;
const VALUE_MAX = 64 * 1024;
const DEPTH_MAX = 16;
const DIGITS_MAX = 4300;

const ID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const H = "[a-z2-7]{16}";
export const RECORD = new RegExp(`^(${ID})\\.(${H})$`);
export const LABEL = new RegExp(`^([^/]+)/(${ID})\\.(${H})$`);
export const REGISTER = new RegExp(`^(${ID}|profile|settings|meta)/([^\\n]+)/([0-9]{15})-([0-9a-f]{16})\\.(${H})$`);

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

export async function digest(text) {
  const bytes = (await sha256(utf8(text))).slice(0, 10);
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{5}/g).map((five) => BASE32[Number.parseInt(five, 2)]).join("");
}

/** The one spelling of a JSON value: keys by UTF-8 bytes, no spaces, integers only, no ASCII escaping. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort(orderText);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Whether `text` is an object in that spelling. Reads the text itself: JSON.parse would round great integers. */
export function isCanonicalObject(text) {
  let at = 0;
  const string = /"(?:[^"\\\u0000-\u001f]|\\["\\bfnrt]|\\u00(?:0[0-7be-f]|1[0-9a-f]))*"/uy;
  const integer = /-?(?:0|[1-9][0-9]*)/y;
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) throw new SyntaxError();
    at += found[0].length;
    return found[0];
  };
  const take = (character) => {
    if (text[at] !== character) throw new SyntaxError();
    at += 1;
  };
  const items = (close, one) => {
    at += 1;
    if (text[at] === close) return void (at += 1);
    for (;;) {
      one();
      if (text[at] !== ",") return take(close);
      at += 1;
    }
  };
  const value = (depth) => {
    const first = text[at];
    if (first === "{" || first === "[") {
      if (depth === 0) throw new SyntaxError();
      if (first === "[") return items("]", () => value(depth - 1));
      let last = null;
      return items("}", () => {
        const name = JSON.parse(match(string));
        if (last !== null && orderText(last, name) >= 0) throw new SyntaxError();
        last = name;
        take(":");
        value(depth - 1);
      });
    }
    if (first === '"') return match(string);
    for (const word of ["true", "false", "null"]) if (text.startsWith(word, at)) return void (at += word.length);
    const digits = match(integer);
    if (digits === "-0" || digits.replace("-", "").length > DIGITS_MAX) throw new SyntaxError();
    return digits;
  };
  try {
    if (text[0] !== "{") return false;
    value(DEPTH_MAX);
    return at === text.length;
  } catch {
    return false;
  }
}

function size(text) {
  if (!text.isWellFormed()) refuse("malformed-text");
  return utf8(text).length;
}

export async function checkKey([map, key, value]) {
  if (!MAPS.includes(map)) refuse("malformed-map");
  if (size(key) > KEY_MAX) refuse("malformed-key-length");
  if (size(value) > VALUE_MAX) refuse("malformed-value-length");
  const parts = { l: LABEL, r: REGISTER }[map]?.exec(key) ?? (map === "l" || map === "r" ? null : RECORD.exec(key));
  if (!parts) refuse("malformed-key");
  if (map === "l") {
    if (utf8(parts[1]).length > LABEL_MAX || value) refuse("malformed-label");
    return;
  }
  if (!isCanonicalObject(value)) refuse("malformed-json");
  if (map === "r") checkRegister(JSON.parse(value), value);
  if (parts.at(-1) !== (await digest(value))) refuse("malformed-digest");
}

function checkRegister({ at, by, over, ...rest }) {
  const right =
    Object.keys(rest).join() === "v" && typeof at === "number" && typeof by === "string" && Array.isArray(over) &&
    over.every((h) => typeof h === "string" && new RegExp(`^${H}$`).test(h)) &&
    over.every((h, n) => n === 0 || over[n - 1] < h);
  if (!right) refuse("malformed-register");
}

export async function checkChange(keys) {
  if (!keys.length || keys.length > OPS_MAX) refuse("malformed-op-count");
  if (keys.reduce((sum, [, key, value]) => sum + size(key) + size(value), 0) > CHANGE_MAX) refuse("malformed-change-length");
  if (new Set(keys.map(([map, key]) => `${map}/${key}`)).size < keys.length) refuse("malformed-repeated-key");
  for (const key of keys) await checkKey(key);
}
