// The shape that rows and views are made of: what holds a list where a number is due is refused.
import { LABEL, RECORD, REGISTER } from "./changes.mjs";
import { refuse } from "./bytes.mjs";

const NUMBER_END = 2 ** 48;
const RECORD_MS_END = 253_402_300_800_000;
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const NAMED = ["meta", "settings", "profile"];

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value, count) =>
  Array.isArray(value) && value.every(isText) && (count === undefined || value.length === count);
export const isNumber = (value) => Number.isInteger(value) && value >= 0 && value < NUMBER_END;

export function isDay(value) {
  if (!isText(value) || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value) || value.startsWith("0000")) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === value;
}

/** The moment in an id, in ms. */
const momentOf = (id) => [...id.slice(0, 10)].reduce((ms, character) => ms * 32 + CROCKFORD.indexOf(character), 0);

export function checkShape([map, key, value]) {
  const record = map === "l" ? LABEL.exec(key)[2] : map === "r" ? REGISTER.exec(key)[1] : RECORD.exec(key)[1];
  if (!NAMED.includes(record) && momentOf(record) >= RECORD_MS_END) refuse("change-shape");
  if (map === "e" && !isRecord(JSON.parse(value))) refuse("change-shape");
  if (map === "r") {
    const { at, v } = JSON.parse(value);
    if (!isNumber(at) || !isField(REGISTER.exec(key)[2], v)) refuse("change-shape");
  }
}

function isRecord(value) {
  const get = (name, empty) => (Object.hasOwn(value, name) ? value[name] : empty);
  const source = get("source", {});
  const texts = ["text", "why", "impact", "next", "verify", "zone", "author", "lang", "confidence"];
  const dates = get("dates", []);
  const about = get("about", []);
  return (
    texts.every((name) => isText(get(name, ""))) &&
    ["tags", "aliases", "supersedes"].every((name) => isTexts(get(name, []))) &&
    Array.isArray(about) && about.every((pair) => isTexts(pair, 2)) &&
    Array.isArray(dates) && dates.every((span) => isTexts(span, 3) && isDay(span[1]) && isDay(span[2])) &&
    isObject(source) &&
    ["platform", "chat", "message", "path", "quoted"].every((name) => !Object.hasOwn(source, name) || isText(source[name])) &&
    isNumber(get("at")) && isDay(get("day")) && isText(get("kind")) &&
    (value.kind === "task" || isText(get("origin")))
  );
}

/** False for what a column cannot hold; null is nothing, and another type is passed over. */
function isField(name, value) {
  if (name === "importance" && typeof value === "number") return isNumber(value);
  if (name === "done_at") return value === null || isNumber(value);
  if (name === "tags+" && Array.isArray(value)) return isTexts(value);
  return true;
}
