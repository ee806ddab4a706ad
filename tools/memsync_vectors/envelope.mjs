// Key schedule, wraps, envelopes and what is inside them: docs/spec/memsync.md, in WebCrypto.
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import * as cbor from "./cbor.mjs";
import { hex, join, refuse, sha256, u32, utf8 } from "./bytes.mjs";

const HEADER = 122;
const TAG = 16;
const SIGNATURE = 64;
const ENVELOPE_MAX = 900 * 1024;
const NUMBER_MAX = 2 ** 48;

export async function deviceId(signPublic, wrapPublic) {
  return (await sha256(utf8("memsync/1 device\0"), signPublic, wrapPublic)).slice(0, 16);
}

// WebCrypto takes private keys as PKCS#8: a fixed head, then the 32 bytes.
const ED_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const X_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");

export async function signingKey(seed) {
  return crypto.subtle.importKey("pkcs8", join(ED_HEAD, seed), "Ed25519", true, ["sign"]);
}

export async function publicOf(seed, kind) {
  const key = await crypto.subtle.importKey(
    "pkcs8", join(kind === "Ed25519" ? ED_HEAD : X_HEAD, seed), kind, true, kind === "Ed25519" ? ["sign"] : ["deriveBits"],
  );
  return Uint8Array.from(Buffer.from((await crypto.subtle.exportKey("jwk", key)).x, "base64url"));
}

export async function verify(signPublic, signature, text) {
  try {
    const key = await crypto.subtle.importKey("raw", signPublic, "Ed25519", true, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, text);
  } catch {
    return false;
  }
}

export async function schedule(scope, epoch, secret, device) {
  const ikm = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = join(utf8("memsync/1 enc\0"), u32(epoch), device);
  const bits = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: scope, info }, ikm, 256);
  return {
    keyId: (await sha256(utf8("memsync/1 keyid\0"), scope, u32(epoch), secret)).slice(0, 8),
    commit: await sha256(utf8("memsync/1 commit\0"), scope, u32(epoch), secret),
    senderKey: new Uint8Array(bits),
  };
}

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

export async function unwrap(wrapped, wrapKey, place) {
  if (wrapped.length !== 80) refuse("wrap-length");
  const info = join(utf8("memsync/1 wrap\0"), place.scope, u32(place.epoch), place.recipient, place.rosterHash);
  try {
    const recipientKey = await suite.kem.importKey("raw", wrapKey.buffer.slice(0, 32), false);
    const context = await suite.createRecipientContext({ recipientKey, enc: wrapped.slice(0, 32), info });
    return new Uint8Array(await context.open(wrapped.slice(32)));
  } catch {
    return refuse("wrap-seal");
  }
}

export async function wrap(secret, wrapPublic, place) {
  const info = join(utf8("memsync/1 wrap\0"), place.scope, u32(place.epoch), place.recipient, place.rosterHash);
  const recipientPublicKey = await suite.kem.deserializePublicKey(wrapPublic);
  const context = await suite.createSenderContext({ recipientPublicKey, info });
  return join(new Uint8Array(context.enc), new Uint8Array(await context.seal(secret)));
}

export function paddedSize(length) {
  if (length <= 256) return 256;
  const exponent = Math.floor(Math.log2(length));
  const last = exponent - (Math.floor(Math.log2(exponent)) + 1);
  const step = 2 ** last;
  return Math.ceil(length / step) * step;
}

export function pad(payload) {
  const framed = join(u32(payload.length), payload);
  return join(framed, new Uint8Array(paddedSize(framed.length) - framed.length));
}

export function unpad(padded) {
  if (padded.length < 4) refuse("payload-length");
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0);
  if (length > padded.length - 4) refuse("payload-length");
  if (padded.length !== paddedSize(4 + length) || padded.subarray(4 + length).some((b) => b)) refuse("payload-padding");
  return padded.slice(4, 4 + length);
}

export function parseHeader(data) {
  if (data.length < HEADER + TAG + SIGNATURE || data.length > ENVELOPE_MAX) refuse("envelope-length");
  const view = new DataView(data.buffer, data.byteOffset);
  if (view.getUint16(0) !== 0x4d53) refuse("envelope-magic");
  if (data[2] !== 1) refuse("envelope-version");
  if (data[3] < 1 || data[3] > 3) refuse("envelope-kind");
  if (view.getUint16(4) !== 0) refuse("envelope-flags");
  if (view.getUint32(118) !== data.length - HEADER - SIGNATURE) refuse("envelope-size");
  const seq = view.getBigUint64(50);
  const epoch = view.getUint32(22);
  if (seq < 1n || seq >= BigInt(NUMBER_MAX) || epoch < 1) refuse("envelope-number");
  const previous = data.slice(58, 90);
  if ((seq === 1n) !== !previous.some((b) => b)) refuse("envelope-previous");
  return {
    kind: data[3], scope: data.slice(6, 22), epoch, key_id: data.slice(26, 34), device: data.slice(34, 50),
    seq: Number(seq), previous, roster_head: data.slice(90, 106), nonce: data.slice(106, 118),
  };
}

export async function checkSignature(data, signPublic) {
  const text = join(utf8("memsync/1 envelope\0"), await sha256(data.subarray(0, -SIGNATURE)));
  if (!(await verify(signPublic, data.slice(-SIGNATURE), text))) refuse("envelope-signature");
}

const aes = (key, use) => crypto.subtle.importKey("raw", key, "AES-GCM", false, [use]);

export async function openSealed(data, senderKey) {
  const given = { name: "AES-GCM", iv: data.slice(106, 118), additionalData: data.slice(0, HEADER) };
  let padded;
  try {
    const sealed = data.slice(HEADER, -SIGNATURE);
    padded = new Uint8Array(await crypto.subtle.decrypt(given, await aes(senderKey, "decrypt"), sealed));
  } catch {
    refuse("envelope-seal");
  }
  return unpad(padded);
}

export async function seal(header, payload, senderKey, signSeed) {
  const padded = pad(payload);
  const head = new Uint8Array(HEADER);
  const view = new DataView(head.buffer);
  view.setUint16(0, 0x4d53);
  head.set([1, header.kind], 2);
  head.set(header.scope, 6);
  view.setUint32(22, header.epoch);
  head.set(header.key_id, 26);
  head.set(header.device, 34);
  view.setBigUint64(50, BigInt(header.seq));
  head.set(header.previous, 58);
  head.set(header.roster_head, 90);
  head.set(header.nonce, 106);
  view.setUint32(118, padded.length + TAG);
  const given = { name: "AES-GCM", iv: header.nonce, additionalData: head };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(given, await aes(senderKey, "encrypt"), padded));
  const body = join(head, sealed);
  const text = join(utf8("memsync/1 envelope\0"), await sha256(body));
  return join(body, new Uint8Array(await crypto.subtle.sign("Ed25519", await signingKey(signSeed), text)));
}

// the payload

export function encodePayload(payload) {
  const body = new Map([
    [1, payload.changes.map(([name, chunks]) => [name, chunks])],
    [2, new Map(payload.seen.map(([device, seq, short, beyond]) => [device, [seq, short, ...beyond]]))],
    [3, payload.clock_ms],
    [5, payload.generation],
  ]);
  if (payload.skip_to) body.set(4, payload.skip_to);
  return cbor.encode(body);
}

export function decodePayload(data) {
  const body = cbor.decode(data, "payload");
  const known = [1, 2, 3, 4, 5];
  if (!(body instanceof Map) || ![1, 2, 3, 5].every((n) => body.has(n))) refuse("payload-fields");
  if (![...body.keys()].every((n) => known.includes(n))) refuse("payload-fields");
  const changes = array(body.get(1)).map((one) => {
    if (array(one).length !== 2) refuse("payload-shape");
    const [name, chunks] = one;
    if (typeof name !== "string" || [...name].length > 80) refuse("payload-text");
    return [name, array(chunks).map((chunk) => bytes(chunk))];
  });
  const count = changes.reduce((sum, [, chunks]) => sum + chunks.length, 0);
  if (changes.length > 256 || count > 2000) refuse("payload-count");
  if (!(body.get(2) instanceof Map)) refuse("payload-shape");
  const seen = [...body.get(2)].map(([device, one]) => [bytes(device, 16), ...seenOf(array(one))]);
  if (seen.length > 64) refuse("payload-count");
  return {
    changes, seen, clock_ms: number(body.get(3)), skip_to: body.has(4) ? number(body.get(4), 1) : 0,
    generation: number(body.get(5), 1),
  };
}

function seenOf([seq, short, ...ranges]) {
  if (seq === undefined || short === undefined) refuse("payload-shape");
  const pairs = ranges.map((one) => {
    if (array(one).length !== 2) refuse("payload-shape");
    return [number(one[0]), number(one[1])];
  });
  let before = number(seq);
  for (const [first, last] of pairs) {
    if (first <= before + 1 || last < first) refuse("payload-seen");
    before = last;
  }
  if (pairs.length > 16) refuse("payload-seen");
  return [seq, bytes(short, 8), pairs];
}

const array = (value) => (Array.isArray(value) ? value : refuse("payload-shape"));

function number(value, least = 0) {
  const whole = typeof value === "number" && Number.isSafeInteger(value);
  return whole && value >= least && value < NUMBER_MAX ? value : refuse("payload-number");
}

function bytes(value, length) {
  if (!(value instanceof Uint8Array) || (length !== undefined && value.length !== length)) refuse("payload-bytes");
  return value;
}

export const shownPayload = (payload) => ({
  ...payload,
  changes: payload.changes.map(([name, chunks]) => [name, chunks.map(hex)]),
  seen: payload.seen.map(([device, seq, short, beyond]) => [hex(device), seq, hex(short), beyond]),
});
