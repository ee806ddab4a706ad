// What people type and compare: the pairing code, its notes and digits, and the recovery key.
import { scryptSync } from "node:crypto";
import * as cbor from "./cbor.mjs";
import { hex, join, refuse, sha256, u32, utf8 } from "./bytes.mjs";
import { publicOf } from "./envelope.mjs";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const NAME_MAX = 40;

/** Crockford's characters for the lowest 5 bits each, the highest first. */
function spell(number, characters) {
  let out = "";
  for (let place = characters - 1; place >= 0; place -= 1) out += ALPHABET[Number((number >> BigInt(5 * place)) & 31n)];
  return out;
}

const grouped = (text, size) => text.match(new RegExp(`.{1,${size}}`, "g")).join("-");
const numberOf = (bytes) => BigInt(`0x${hex(bytes)}`);

function clean(text, characters, code) {
  const typed = text.toUpperCase().replace(/[ -]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  if (typed.length !== characters || [...typed].some((one) => !ALPHABET.includes(one))) refuse(code);
  return typed;
}

const read = (spelled) => [...spelled].reduce((number, one) => (number << 5n) | BigInt(ALPHABET.indexOf(one)), 0n);
const bytesOf = (number, length) => Uint8Array.from(Buffer.from(number.toString(16).padStart(2 * length, "0"), "hex"));

async function check(what, secret) {
  return spell(numberOf((await sha256(utf8(`memsync/1 ${what}\0`), secret)).slice(0, 2)), 2);
}

export async function formatCode(secret) {
  return grouped(spell(numberOf(secret), 16) + (await check("code", secret)), 6);
}

export async function parseCode(text) {
  const typed = clean(text, 18, "error-join-code");
  const secret = bytesOf(read(typed.slice(0, 16)), 10);
  if ((await check("code", secret)) !== typed.slice(16)) refuse("error-join-code");
  return secret;
}

export async function place(secret) {
  return hex(await sha256(utf8("memsync/1 pair tag\0"), secret)).slice(0, 32);
}

async function hkdf(ikm, salt, info) {
  const key = await crypto.subtle.importKey("raw", ikm, "HKDF", false, ["deriveBits"]);
  const given = { name: "HKDF", hash: "SHA-256", salt: utf8(salt), info: utf8(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(given, key, 256));
}

async function noteKey(secret) {
  // WebCrypto has no scrypt; a browser brings its own.
  const stretched = scryptSync(secret, "memsync/1 pair", 32, { N: 1 << 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
  return crypto.subtle.importKey("raw", await hkdf(stretched, "memsync/1 pair", "notes"), "AES-GCM", false, ["decrypt"]);
}

export async function openNote(secret, number, note) {
  if (note.length < 28) refuse("pairing-code");
  const given = { name: "AES-GCM", iv: note.slice(0, 12), additionalData: Uint8Array.of(number) };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(given, await noteKey(secret), note.slice(12)));
  } catch {
    return refuse("pairing-code");
  }
}

export function introduced(text) {
  const value = cbor.decode(text, "pairing-note");
  if (!Array.isArray(value) || value.length !== 4) refuse("pairing-note");
  const [sign, wrap, random, name] = value;
  const blobs = [sign, wrap, random].every((one) => one instanceof Uint8Array && one.length === 32);
  const length = typeof name === "string" ? [...name].length : 0;
  if (!blobs || length < 1 || length > NAME_MAX) refuse("pairing-note");
  return { sign_public: hex(sign), wrap_public: hex(wrap), name };
}

export async function digits(...texts) {
  const whole = await sha256(utf8("memsync/1 digits\0"), ...texts.flatMap((text) => [u32(text.length), text]));
  return (numberOf(whole.slice(0, 8)) % 1_000_000n).toString().padStart(6, "0");
}

// the recovery key

export async function formatRecovery(secret) {
  return grouped(spell(numberOf(secret) << 2n, 26) + (await check("recovery check", secret)), 4);
}

export async function parseRecovery(text) {
  const typed = clean(text, 28, "error-recovery-key");
  const number = read(typed.slice(0, 26));
  if (number & 3n) refuse("error-recovery-key");
  const secret = bytesOf(number >> 2n, 16);
  if ((await check("recovery check", secret)) !== typed.slice(26)) refuse("error-recovery-key");
  return secret;
}

export async function recoveryPublic(secret) {
  const sign = await publicOf(await hkdf(secret, "memsync/1 recovery", "sign"), "Ed25519");
  const wrap = await publicOf(await hkdf(secret, "memsync/1 recovery", "wrap"), "X25519");
  return { sign, wrap, recipient: await recoveryRecipient(wrap) };
}

export async function recoveryRecipient(wrapPublic) {
  return (await sha256(utf8("memsync/1 recovery\0"), wrapPublic)).slice(0, 16);
}

export const concatenated = (hashes) => sha256(join(...hashes));
