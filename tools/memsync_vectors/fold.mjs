// The fold: from a set of keys to rows, whatever their order.
import { orderText } from "./bytes.mjs";
import { LABEL, RECORD, REGISTER } from "./changes.mjs";
import { foldReview, isCard } from "./learning.mjs";

const LABEL_PARTS =
  /^(?:(D)-(\d{4}-\d{1,2}-\d{1,2})|(T)-(\d{6})|(AUTO)-(\d{8}))-(x[0-9a-f]{3}(?=\d\d)|[a-z]{0,4})0*(\d{1,6})$/i;

/** The first difference of two rows: numbers as numbers, text by its bytes. */
function compare(a, b) {
  for (let n = 0; n < a.length; n += 1) {
    const by = typeof a[n] === "string" ? orderText(a[n], b[n]) : Number(a[n]) - Number(b[n]);
    if (by) return by;
  }
  return 0;
}

function laneOrder(label) {
  const parts = [...label].length > 40 ? null : LABEL_PARTS.exec(label.normalize("NFKC").trim());
  const lane = parts ? parts[7].toLowerCase() : "";
  return [lane.length, lane];
}

export async function fold(keys) {
  const distinct = [...new Map(keys.map((one) => [JSON.stringify(one), one])).values()];
  const variants = new Map();
  const made = new Map();
  const labels = new Map();
  const fields = new Map();
  const events = new Map();
  const into = (map, name, empty) => map.get(name) ?? map.set(name, empty).get(name);
  for (const [map, key, value] of distinct) {
    if (map === "e") {
      const [, id, h] = RECORD.exec(key);
      into(variants, id, new Map()).set(h, value);
    } else if (map === "l") {
      const [, label, id, h] = LABEL.exec(key);
      into(made, id, []).push([label, h]);
      into(labels, label, new Set()).add(id);
    } else if (map === "r") {
      const [, record, field, stamp, device, h] = REGISTER.exec(key);
      into(fields, `${record}\n${field}`, []).push({ field, stamp: Number(stamp), device, h, ...JSON.parse(value) });
    } else {
      const [, id, h] = RECORD.exec(key);
      into(events, id, new Map()).set(h, value);
    }
  }
  const banned = new Set([...fields.keys()].filter((name) => name.startsWith("meta\nban/")).map((name) => name.slice(9)));
  for (const id of banned) variants.delete(id);
  for (const id of banned) events.delete(id);
  for (const name of [...fields.keys()]) if (banned.has(name.split("\n")[0])) fields.delete(name);
  for (const [label, found] of [...labels]) {
    for (const id of banned) found.delete(id);
    if (!found.size) labels.delete(label);
  }
  const folded = [];
  for (const [id, found] of variants) folded.push(await foldRecord(id, found, made.get(id) ?? []));
  const records = new Map(folded.filter((record) => record !== null).map((record) => [record.id, record]));
  const registers = new Map([...fields].map(([name, writes]) => [name, foldRegister(writes)]));
  const value = (id, field) => registers.get(`${id}\n${field}`)?.value;
  const statements = [...records.values()].filter((record) => !["task", "card"].includes(record.value.kind));
  const pairs = statements.flatMap((record) => {
    const stated = [...ids(record.value.supersedes), ...ids(value(record.id, "settles"))];
    return stated.filter((other) => other !== record.id).map((other) => [record.id, other]);
  });
  const known = new Set(statements.map((record) => record.id));
  const hidden = new Set([...known].filter((id) => value(id, "hidden") === true));
  const below = new Map(statements.map((one) => [one.id, ids(one.value.supersedes).filter((other) => other !== one.id)]));
  const gone = (id) => hidden.has(id) || banned.has(id);
  const held = [...known].filter((id) => isHeld(id, below, gone, (one) => value(one, "restored") === true));
  return {
    records: [...records.values()].sort((a, b) => orderText(a.id, b.id)).map(
      (r) => [r.id, r.value, r.digest, r.label, r.versions],
    ),
    labels: [...labels].sort(([a], [b]) => orderText(a, b)).map(([label, found]) => [label, [...found].sort(orderText)]),
    registers: [...registers].map(([name, r]) => [...name.split("\n"), r]).sort(compare).map(
      ([record, field, r]) => [record, field, r.value, r.by, r.at, r.heads, r.others],
    ),
    superseded: superseded(pairs, new Set([...hidden, ...held]), known).sort(orderText),
    held: held.sort(orderText),
    reviews: [...events].map(([id, found]) => foldReview(id, found)).filter((one) => one !== null)
      .sort((a, b) => orderText(a.id, b.id))
      .map((r) => [r.id, r.card, r.kind, r.rating, r.at, r.device, r.slot, r.undoes]),
  };
}

const ids = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

const KINDS = ["decision", "fact", "preference", "quote", "rule", "checkpoint", "note", "task", "card"];
const ORIGINS = ["said", "confirmed", "forwarded", "imported", "agent"];
const CONFIDENCES = ["high", "medium", "low", ""];
const isKnown = (value) =>
  KINDS.includes(value.kind) && ORIGINS.includes(value.origin ?? "said") && CONFIDENCES.includes(value.confidence ?? "");

/** null when no version of it is in words that are known. */
async function foldRecord(id, variants, labels) {
  const known = [...variants].map(([h, text]) => [h, JSON.parse(text)]).filter(([, value]) => isKnown(value));
  const cards = [];
  for (const [h, value] of known) if (value.kind === "card" && (await isCard(id, value))) cards.push([h, value]);
  const read = new Map(cards.length ? cards : known.filter(([, value]) => value.kind !== "card"));
  if (!read.size) return null;
  const ranked = labels.map(([label, h]) => [!read.has(h), ...laneOrder(label), label, h]).sort(compare);
  const [missing, , , label, digest] = ranked[0] ?? [true, 0, "", "", ""];
  const shown = missing ? [...read.keys()].sort(orderText)[0] : digest;
  return { id, value: read.get(shown), digest: shown, label, versions: variants.size };
}

function foldRegister(writes) {
  const replaced = new Set(writes.flatMap((write) => write.over));
  const left = writes.filter((write) => !replaced.has(write.h));
  const heads = left.length ? left : writes;
  const rank = (write) => [write.stamp, write.device, write.h];
  const newest = new Map();
  for (const write of [...heads].sort((a, b) => compare(rank(a), rank(b)))) newest.set(write.h, write);
  const [shown, ...others] = [...newest.values()].sort((a, b) => compare(rank(b), rank(a)));
  return {
    value: shown.field === "hidden" ? heads.some((head) => head.v === true) : shown.v,
    by: shown.by, at: shown.at, heads: [...newest.keys()].sort(orderText), others: others.map((write) => write.v),
  };
}

/** Whether it continues, by its own words, what was taken away, and nobody has answered for that. */
function isHeld(id, below, gone, restored) {
  if (gone(id)) return false;
  const [waiting, seen] = [[id], new Set()];
  while (waiting.length) {
    const one = waiting.pop();
    if (seen.has(one) || restored(one)) continue;
    seen.add(one);
    for (const other of below.get(one) ?? []) {
      if (gone(other)) return true;
      waiting.push(other);
    }
  }
  return false;
}

function superseded(pairs, unseen, known) {
  const [below, above] = [new Map(), new Map()];
  for (const [successor, predecessor] of pairs) {
    below.set(successor, [...(below.get(successor) ?? []), predecessor]);
    above.set(predecessor, [...(above.get(predecessor) ?? []), successor]);
  }
  return [...above.keys()].filter((one) => {
    const down = closure(below, one);
    const over = [...closure(above, one)].filter((up) => up !== one && !down.has(up));
    return known.has(one) && over.some((up) => known.has(up) && !unseen.has(up));
  });
}

function closure(steps, start) {
  const waiting = [...(steps.get(start) ?? [])];
  const reached = new Set();
  while (waiting.length) {
    const one = waiting.pop();
    if (reached.has(one)) continue;
    reached.add(one);
    waiting.push(...(steps.get(one) ?? []));
  }
  return reached;
}
