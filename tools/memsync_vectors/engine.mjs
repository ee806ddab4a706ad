// What the JavaScript engine does with our documents: changes of its own, and ours applied.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import * as Automerge from "@automerge/automerge";
import { canonical, digest } from "./changes.mjs";
import { hex, unhex } from "./bytes.mjs";
import { parseChange } from "./chunk.mjs";

const folder = new URL("../../tests/vectors/", import.meta.url);
export const genesis = new Map(
  JSON.parse(readFileSync(new URL("genesis.json", folder), "utf8")).genesis.map((one) => [one.name, one.bytes]),
);

/** The same numbers in every run. */
function* numbers(seed) {
  for (let n = 0; ; n += 1) yield createHash("sha256").update(`${seed} ${n}`).digest().readUInt32BE();
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ulid = (n) => `01HYVNSN0${[...Array(17)].map((_, at) => ALPHABET[Math.floor(n / 32 ** (16 - at)) % 32]).join("")}`;
const TEXTS = ["hello", "记住 我们周五发布", "😀 𠮷 \u{10FFFF}", "tab\tline\n\"quote\" \\ \u0001\u007f\u2028", "x".repeat(300), ""];

async function someKeys(draw, count) {
  const keys = [];
  for (let n = 0; n < count; n += 1) {
    const number = draw();
    const value = canonical({ n: number, text: TEXTS[number % TEXTS.length] });
    const key = `${ulid(number)}.${await digest(value)}`;
    keys.push(["e", key, value], ["l", `D-2024-05-27-${number}`.concat(`/${key}`), ""]);
    const register = canonical({ at: number, by: "terminal:lin", over: [], v: TEXTS[(number >>> 3) % TEXTS.length] });
    keys.push(["r", `${ulid(number)}/标题/001716775200000-00010203040506${hex([n])}.${await digest(register)}`, register]);
    const review = canonical({ at: number });
    keys.push(["v", `${ulid(number)}.${await digest(review)}`, review]);
  }
  // Neighbours of one map and neighbours of different ones: the engine keeps the order in which they were set.
  return draw() % 2 ? keys.sort(([a], [b]) => (a < b ? -1 : 1)) : keys;
}

/** Three devices that write and merge, without a time, without a message, with plain strings. */
export async function jsChanges() {
  const out = [];
  for (const document of genesis.keys()) {
    const source = numbers(document);
    const draw = () => source.next().value;
    const begin = (actor) => Automerge.applyChanges(Automerge.init({ actor }), [unhex(genesis.get(document))])[0];
    let devices = [1, 2, 3].map((n) => begin(hex(Array(16).fill(n))));
    for (let step = 0; step < 26; step += 1) {
      const n = draw() % 3;
      if (draw() % 3 === 0) devices[n] = Automerge.merge(devices[n], Automerge.clone(devices[draw() % 3]));
      const keys = await someKeys(draw, 1 + (draw() % 2));
      devices[n] = Automerge.change(devices[n], { time: 0 }, (doc) => {
        for (const [map, key, value] of keys) doc[map][key] = new Automerge.ImmutableString(value);
      });
      const change = await parseChange(Automerge.getLastLocalChange(devices[n]));
      out.push({ document, hash: hex(change.hash), chunk: hex(Automerge.getLastLocalChange(devices[n])), keys });
    }
  }
  return out;
}

export function text(changes) {
  const lines = changes.map((one) => `  ${JSON.stringify(one)}`).join(",\n");
  return `{\n "what": "Changes that @automerge/automerge made under our rules, in an order in which each finds its deps.",\n "changes": [\n${lines}\n ]\n}\n`;
}

/** A document of ours in this engine: every key is there, and what is saved can be loaded. */
export function applied(document, chunks) {
  let [doc] = Automerge.applyChanges(Automerge.init(), [unhex(genesis.get(document)), ...chunks]);
  doc = Automerge.load(Automerge.save(doc));
  if (`${doc.doc?.val ?? doc.doc}` !== document) throw new Error(`${document} calls itself ${doc.doc}`);
  return ["e", "l", "r", "v"].flatMap((map) => Object.entries(doc[map]).map(([key, value]) => [map, key, `${value}`]));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  writeFileSync(new URL("js_changes.json", folder), text(await jsChanges()));
}
