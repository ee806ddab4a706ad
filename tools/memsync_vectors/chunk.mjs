// Layer 1: a change chunk, read under strict limits and written again. Layer 2: which of them the engine gets.
import { constants, inflateRawSync } from "node:zlib";
import { CHANGE_MAX, KEY_MAX, MAPS, OPS_MAX, checkChange } from "./changes.mjs";
import { equal, hex, join, order, refuse, sha256, utf8 } from "./bytes.mjs";

const CHUNK_MAX = CHANGE_MAX + 32 * 1024;
const COUNTER_MAX = 2 ** 31;
const MAGIC = [0x85, 0x6f, 0x4a, 0x83];
const GENESIS_ACTOR = new Uint8Array(16);
const COLUMNS = [0x01, 0x02, 0x15, 0x34, 0x42, 0x56, 0x57, 0x70];

export async function parseChange(chunk) {
  const data = await inflated(chunk);
  const reader = new Reader(data, 9);
  if (reader.uleb("length") !== reader.left()) refuse("malformed-chunk-length");
  const deps = readDeps(reader);
  const actor = reader.take(reader.uleb("actor"), "actor");
  const seq = reader.uleb("seq");
  const startOp = reader.uleb("start-op");
  if (actor.length !== 16 || equal(actor, GENESIS_ACTOR)) refuse("malformed-actor");
  if (seq < 1 || seq >= COUNTER_MAX || startOp < 1 || startOp >= COUNTER_MAX) refuse("malformed-counter");
  if (reader.take(2, "time").some((b) => b)) refuse("malformed-time");
  if (reader.uleb("actors") !== 1) refuse("malformed-actors");
  if (!equal(reader.take(17, "actors"), join([16], GENESIS_ACTOR))) refuse("malformed-actors");
  const keys = await readKeys(reader);
  const change = { deps, actor, seq, startOp, keys };
  if (!equal(await encodeChange(change), data)) refuse("malformed-spelling");
  return { ...change, hash: await sha256(data.subarray(8)), data, lastOp: startOp + keys.length - 1 };
}

export async function encodeChange({ deps, actor, seq, startOp, keys }) {
  const every = (byte) => keys.map(() => [byte]);
  const columns = [
    rle(every(1)),
    rle(keys.map(([map]) => uleb(2 + MAPS.indexOf(map)))),
    rle(keys.map(([, key]) => join(uleb(utf8(key).length), utf8(key)))),
    uleb(keys.length),
    rle(every(1)),
    rle(keys.map(([, , value]) => uleb(utf8(value).length * 16 + 6))),
    join(...keys.map(([, , value]) => utf8(value))),
    rle(every(0)),
  ];
  const kept = COLUMNS.map((id, n) => [id, columns[n]]).filter(([, column]) => column.length);
  const body = join(
    uleb(deps.length), ...deps, uleb(actor.length), actor, uleb(seq), uleb(startOp), [0, 0], [1, 16], GENESIS_ACTOR,
    uleb(kept.length), ...kept.flatMap(([id, column]) => [uleb(id), uleb(column.length)]), ...kept.map(([, c]) => c),
  );
  const tail = join([1], uleb(body.length), body);
  return join(MAGIC, (await sha256(tail)).subarray(0, 4), tail);
}

async function inflated(chunk) {
  if (chunk.length > CHUNK_MAX) refuse("malformed-change-length");
  if (!equal(chunk.subarray(0, 4), MAGIC) || chunk.length < 10) refuse("malformed-magic");
  if (chunk[8] === 2) {
    const reader = new Reader(chunk, 9);
    const length = reader.uleb("length");
    if (reader.left() !== length) refuse("malformed-chunk-length");
    let body;
    try {
      const options = { maxOutputLength: CHUNK_MAX, info: true, finishFlush: constants.Z_FINISH };
      const { buffer, engine } = inflateRawSync(reader.take(length, "body"), options);
      if (engine.bytesWritten !== length) throw new RangeError();
      body = buffer;
    } catch {
      refuse("malformed-deflate");
    }
    chunk = join(chunk.subarray(0, 8), [1], uleb(body.length), body);
  }
  if (chunk[8] !== 1) refuse("malformed-chunk-type");
  if (!equal((await sha256(chunk.subarray(8))).subarray(0, 4), chunk.subarray(4, 8))) refuse("malformed-checksum");
  return chunk;
}

function readDeps(reader) {
  const count = reader.uleb("deps");
  if (count < 1 || count > 256) refuse("malformed-deps");
  const deps = Array.from({ length: count }, () => reader.take(32, "deps"));
  if (deps.some((dep, n) => n > 0 && order(deps[n - 1], dep) >= 0)) refuse("malformed-deps");
  return deps;
}

async function readKeys(reader) {
  const count = reader.uleb("columns");
  if (count > 8) refuse("malformed-columns");
  const listed = Array.from({ length: count }, () => [reader.uleb("columns"), reader.uleb("columns")]);
  const known = listed.every(([id], n) => COLUMNS.includes(id) && (n === 0 || listed[n - 1][0] < id));
  if (!known) refuse("malformed-columns");
  const columns = new Map(listed.map(([id, size]) => [id, reader.take(size, "columns")]));
  if (reader.left()) refuse("malformed-extra-bytes");
  const column = (id) => columns.get(id) ?? new Uint8Array();
  const texts = unrle(column(0x15), (r) => {
    const length = r.uleb("key");
    if (length > KEY_MAX) refuse("malformed-key-length");
    return r.take(length, "key");
  }).map(text);
  const objects = unrle(column(0x02), (r) => r.uleb("object"));
  const metas = unrle(column(0x56), (r) => r.uleb("value"));
  if (!texts.length || texts.length !== objects.length || texts.length !== metas.length) refuse("malformed-op-count");
  const values = new Reader(column(0x57), 0);
  const keys = texts.map((key, n) => {
    if (objects[n] < 2 || objects[n] > 5) refuse("malformed-object");
    if (metas[n] % 16 !== 6) refuse("malformed-value-type");
    return [MAPS[objects[n] - 2], key, text(values.take(Math.floor(metas[n] / 16), "value"))];
  });
  await checkChange(keys);
  return keys;
}

function text(raw) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return refuse("malformed-utf8");
  }
}

class Reader {
  constructor(data, at) {
    this.data = data;
    this.at = at;
  }

  left() {
    return this.data.length - this.at;
  }

  take(count, what) {
    if (count > this.left()) refuse(`malformed-${what}`);
    this.at += count;
    return this.data.slice(this.at - count, this.at);
  }

  /** At most eight bytes; JavaScript's numbers hold 53 bits, and no bound of ours needs more. */
  uleb(what) {
    let number = 0;
    for (let n = 0; n < 8; n += 1) {
      const [byte] = this.take(1, what);
      number += (byte & 127) * 2 ** (7 * n);
      if (byte < 128) return number;
    }
    return refuse(`malformed-${what}`);
  }

  sleb(what) {
    let number = 0;
    for (let n = 0; n < 8; n += 1) {
      const [byte] = this.take(1, what);
      number += (byte & 127) * 2 ** (7 * n);
      if (byte < 128) return byte & 64 ? number - 2 ** (7 * (n + 1)) : number;
    }
    return refuse(`malformed-${what}`);
  }
}

function unrle(column, one) {
  const reader = new Reader(column, 0);
  const out = [];
  while (reader.left()) {
    const run = reader.sleb("run");
    if (run === 0 || out.length + Math.abs(run) > OPS_MAX) refuse("malformed-run");
    if (run > 0) out.push(...Array(run).fill(one(reader)));
    else for (let n = 0; n < -run; n += 1) out.push(one(reader));
  }
  return out;
}

function rle(values) {
  const out = [];
  let alone = [];
  const flush = () => {
    if (alone.length) out.push(sleb(-alone.length), ...alone);
    alone = [];
  };
  for (let at = 0; at < values.length; ) {
    let run = 1;
    while (at + run < values.length && equal(values[at + run], values[at])) run += 1;
    if (run > 1) {
      flush();
      out.push(sleb(run), values[at]);
    } else {
      alone.push(values[at]);
    }
    at += run;
  }
  flush();
  return join(...out);
}

function uleb(number) {
  const out = [];
  while (number > 127) {
    out.push((number % 128) + 128);
    number = Math.floor(number / 128);
  }
  return Uint8Array.from([...out, number]);
}

function sleb(number) {
  const out = [];
  for (;;) {
    const byte = ((number % 128) + 128) % 128;
    number = Math.floor(number / 128);
    if ((number === 0 && !(byte & 64)) || (number === -1 && byte & 64)) return Uint8Array.from([...out, byte]);
    out.push(byte + 128);
  }
}

/** Layer 2 of one document. */
export class Admission {
  constructor(genesisHash) {
    this.known = new Map([[hex(genesisHash), { deps: [], lastOp: 5 }]]);
    this.newest = new Map();
  }

  admit(change) {
    const deps = change.deps.map(hex);
    if (this.known.has(hex(change.hash)) || !deps.length || !deps.every((dep) => this.known.has(dep))) return false;
    if (change.startOp !== 1 + Math.max(...deps.map((dep) => this.known.get(dep).lastOp))) return false;
    const newest = this.newest.get(hex(change.actor));
    if (change.seq !== (newest ? newest.seq + 1 : 1)) return false;
    if (newest && !this.descends(deps, newest)) return false;
    this.known.set(hex(change.hash), { deps, lastOp: change.lastOp });
    this.newest.set(hex(change.actor), { seq: change.seq, hash: hex(change.hash), lastOp: change.lastOp });
    return true;
  }

  descends(deps, ancestor) {
    const waiting = [...deps];
    const met = new Set(deps);
    while (waiting.length) {
      const one = waiting.pop();
      if (one === ancestor.hash) return true;
      for (const dep of this.known.get(one).deps) {
        if (!met.has(dep) && this.known.get(dep).lastOp >= ancestor.lastOp) {
          met.add(dep);
          waiting.push(dep);
        }
      }
    }
    return false;
  }
}
