// Runs tests/vectors/*.json with what a browser client is built on. Exits 1 when one case differs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Refused, hex, unhex, utf8 } from "./bytes.mjs";
import { canonical, checkKey, digest, isCanonicalObject } from "./changes.mjs";
import { Admission, encodeChange, parseChange } from "./chunk.mjs";
import * as engine from "./engine.mjs";
import * as envelope from "./envelope.mjs";
import { fold } from "./fold.mjs";
import * as pairing from "./pairing.mjs";
import * as roster from "./roster.mjs";
import { checkShape } from "./shape.mjs";

const folder = new URL("../../tests/vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

const builtPayload = (given) => ({
  ...given,
  changes: given.changes.map(([name, chunks]) => [name, chunks.map(unhex)]),
  seen: given.seen.map(([device, seq, short, beyond]) => [unhex(device), seq, unhex(short), beyond]),
});

const does = {
  "device-id": async (c) => {
    assert.equal(hex(await envelope.publicOf(unhex(c.sign_seed), "Ed25519")), c.sign_public);
    assert.equal(hex(await envelope.publicOf(unhex(c.wrap_key), "X25519")), c.wrap_public);
    assert.equal(hex(await envelope.deviceId(unhex(c.sign_public), unhex(c.wrap_public))), c.device);
  },
  "key-schedule": async (c) => {
    const made = await envelope.schedule(unhex(c.scope), c.epoch, unhex(c.secret), unhex(c.device));
    assert.deepEqual([hex(made.keyId), hex(made.commit), hex(made.senderKey)], [c.key_id, c.commit, c.sender_key]);
  },
  unwrap: async (c) => {
    const wrapKey = unhex(c.wrap_key);
    const wrapPublic = await envelope.publicOf(wrapKey, "X25519");
    const recipient = c.recipient
      ? unhex(c.recipient)
      : await envelope.deviceId(await envelope.publicOf(unhex(c.sign_seed), "Ed25519"), wrapPublic);
    const place = { scope: unhex(c.scope), epoch: c.epoch, recipient, rosterHash: unhex(c.roster_hash) };
    const secret = await envelope.unwrap(unhex(c.wrapped), wrapKey, place);
    assert.equal(hex(secret), c.secret);
    const again = await envelope.wrap(secret, wrapPublic, place);
    assert.equal(hex(await envelope.unwrap(again, wrapKey, place)), c.secret);
  },
  "padded-size": (c) => assert.equal(envelope.paddedSize(4 + c.length), c.size),
  unpad: (c) => {
    assert.equal(hex(envelope.unpad(unhex(c.padded))), c.payload);
    assert.equal(hex(envelope.pad(unhex(c.payload))), c.padded);
  },
  payload: (c) => {
    const payload = envelope.decodePayload(unhex(c.data));
    assert.deepEqual(envelope.shownPayload(payload), c.payload);
    assert.equal(hex(envelope.encodePayload(builtPayload(c.payload))), c.data);
  },
  envelope: async (c) => {
    const data = c.envelope === undefined ? new Uint8Array(c.size) : unhex(c.envelope);
    const header = envelope.parseHeader(data);
    await envelope.checkSignature(data, unhex(c.sign_public));
    const inside = await envelope.openSealed(data, unhex(c.sender_key));
    assert.deepEqual(envelope.shownPayload(envelope.decodePayload(inside)), c.payload);
    const shown = Object.fromEntries(
      Object.entries(header).map(([name, value]) => [name, value instanceof Uint8Array ? hex(value) : value]),
    );
    assert.deepEqual(shown, c.header);
    assert.equal(hex(await envelope.seal(header, inside, unhex(c.sender_key), unhex(c.sign_seed))), c.envelope);
  },
  roster: async (c) => assert.deepEqual(roster.shown(await roster.readChain(c.entries.map(unhex))), c.roster),
  choose: (c) => assert.equal(roster.choose(c.pinned.map(unhex), c.other.map(unhex)), c.choice),
  chunk: async (c) => {
    const change = await parseChange(unhex(c.chunk));
    const { hash, deps, actor, seq, startOp, keys } = change;
    const shown = { hash: hex(hash), deps: deps.map(hex), actor: hex(actor), seq, start_op: startOp, keys };
    assert.deepEqual(shown, c.change);
    assert.equal(hex(await encodeChange(change)), hex(change.data));
  },
  admission: async (c) => {
    const genesis = unhex(c.genesis);
    const { createHash } = await import("node:crypto");
    const admission = new Admission(createHash("sha256").update(genesis.subarray(8)).digest());
    const changes = [];
    for (const one of c.changes) changes.push(await parseChange(unhex(one)));
    const admitted = changes.map((change) => admission.admit(change));
    assert.deepEqual(admitted, c.admitted);
    const taken = changes.filter((_, n) => admitted[n]);
    const there = engine.applied(c.document, taken.map((change) => change.data));
    assert.equal(there.length, taken.reduce((sum, change) => sum + change.keys.length, 0));
  },
  digest: async (c) => assert.equal(await digest(c.text), c.digest),
  canonical: (c) => {
    assert.equal(canonical(c.value), c.text);
    assert.ok(isCanonicalObject(c.text));
  },
  key: (c) => checkKey(c.key),
  shape: async (c) => {
    await checkKey(c.key);
    checkShape(c.key);
  },
  fold: async (c) => {
    assert.deepEqual(await fold(c.keys), c.rows);
    assert.deepEqual(await fold([...c.keys, ...c.keys].reverse()), c.rows);
  },
};

Object.assign(does, {
  baseline: async (c) => {
    const payloads = c.payloads.map((one) => envelope.decodePayload(unhex(one)));
    const chunks = payloads.flatMap((payload) => payload.changes.flatMap(([, found]) => found));
    const hashes = [];
    for (const one of chunks) hashes.push((await parseChange(one)).hash);
    assert.equal(hex(await pairing.concatenated(hashes)), c.digest);
  },
  "pair-code": async (c) => {
    const secret = await pairing.parseCode(c.code);
    assert.equal(hex(secret), c.secret);
    assert.equal(await pairing.formatCode(secret), c.written);
    assert.equal(await pairing.place(secret), c.place);
  },
  "pair-note": async (c) => assert.equal(hex(await pairing.openNote(unhex(c.secret), c.number, unhex(c.note))), c.text),
  "pair-introduction": (c) => assert.deepEqual(pairing.introduced(unhex(c.text)), c.peer),
  "pair-digits": async (c) => {
    assert.equal(await pairing.digits(unhex(c.commitment), unhex(c.inviter), unhex(c.joiner)), c.digits);
  },
  "recovery-key": async (c) => {
    const secret = await pairing.parseRecovery(c.text);
    const { sign, wrap, recipient } = await pairing.recoveryPublic(secret);
    assert.deepEqual([secret, sign, wrap, recipient].map(hex), [c.secret, c.sign_public, c.wrap_public, c.recipient]);
    assert.equal(await pairing.formatRecovery(secret), c.written);
  },
});

let ran = 0;
const wrong = [];

async function check(name, run) {
  ran += 1;
  try {
    await run();
  } catch (error) {
    wrong.push(`${name}: ${error.message}`);
  }
}

const files = [
  "admission", "baseline", "chunk", "device", "envelope", "fold", "keys", "padding", "pairing", "payload", "recovery",
  "roster", "shape", "wrap",
];
for (const file of files) {
  for (const c of read(file).cases) {
    await check(`${file} / ${c.name}`, async () => {
      if (c.expect === "ok") return does[c.does](c);
      const met = await Promise.resolve().then(() => does[c.does](c)).then(() => "nothing", (error) => {
        if (!(error instanceof Refused)) throw error;
        return error.code;
      });
      return assert.equal(met, c.expect);
    });
  }
}

const js = readFileSync(new URL("js_changes.json", folder), "utf8");
await check("js_changes / made again", async () => assert.equal(engine.text(await engine.jsChanges()), js));
for (const document of engine.genesis.keys()) {
  const mine = JSON.parse(js).changes.filter((one) => one.document === document);
  await check(`js_changes / ${document}`, () => {
    const sorted = (keys) => keys.map((key) => JSON.stringify(key)).sort();
    const there = engine.applied(document, mine.map((one) => unhex(one.chunk)));
    assert.deepEqual(sorted(there), sorted(mine.flatMap((one) => one.keys)));
  });
}

console.log(`${ran} cases, ${wrong.length} differ`);
for (const line of wrong) console.log(line);
process.exitCode = wrong.length ? 1 : 0;
