// The roster: one signed chain of who belongs and which epoch is in force.
import * as cbor from "./cbor.mjs";
import { equal, hex, join, refuse, sha256, utf8 } from "./bytes.mjs";
import { deviceId, verify } from "./envelope.mjs";

const [FOUND, ADD, REMOVE, ERASE, REPLACE, RECOVER] = [1, 2, 3, 4, 5, 6];
const FIELDS = { [FOUND]: 4, [ADD]: 1, [REMOVE]: 4, [ERASE]: 5, [REPLACE]: 4, [RECOVER]: 7 };

export async function readChain(entries) {
  if (!entries.length) refuse("roster-empty");
  let roster = await begin(entries[0]);
  for (const entry of entries.slice(1)) roster = await extend(roster, entry);
  return roster;
}

async function begin(entry) {
  const { text, scope, height, previous, kind, body, signer } = read(entry);
  if (kind !== FOUND || height !== 0 || previous.some((b) => b)) refuse("roster-first");
  const first = await record(body.get(1));
  if (hex(signer) !== first.device) refuse("roster-signer");
  await check(text, entry, first.signPublic);
  return {
    scope, height: 0, head: await sha256(entry), admin: first.device,
    members: new Map([[first.device, { ...first, since: 0, left: null, cut: null }]]),
    epochs: [{ number: 1, commit: blob(body.get(4), 32), height: 0 }], generation: 1,
    recoverySign: blob(body.get(2), 32), recoveryWrap: blob(body.get(3), 32),
    baseline: new Uint8Array(), frontier: new Map(), recoveredAt: -1,
  };
}

async function extend(roster, entry) {
  const { text, scope, height, previous, kind, body, signer } = read(entry);
  if (!equal(scope, roster.scope)) refuse("roster-scope");
  if (height !== roster.height + 1 || !equal(previous, roster.head)) refuse("roster-place");
  if (kind === RECOVER) {
    if (signer.length) refuse("roster-signer");
    await check(text, entry, roster.recoverySign);
  } else {
    if (hex(signer) !== roster.admin) refuse("roster-signer");
    await check(text, entry, roster.members.get(roster.admin).signPublic);
  }
  const next = { ...roster, members: new Map(roster.members), height, head: await sha256(entry) };
  await apply(next, roster, height, kind, body);
  if (current(next).length > 64) refuse("roster-devices");
  return next;
}

const current = (roster) => [...roster.members].filter(([, one]) => one.left === null).map(([device]) => device);
const lanes = (members) => [...members.values()].map((one) => one.lane);

async function apply(next, roster, height, kind, body) {
  if (kind === ADD) {
    enter(next, await record(body.get(1)), height);
  } else if (kind === REMOVE) {
    const gone = hex(blob(body.get(1), 16));
    if (gone === roster.admin || !current(roster).includes(gone)) refuse("roster-remove");
    next.members.set(gone, { ...roster.members.get(gone), left: height, cut: count(body.get(2)) });
    rotate(next, body.get(3), body.get(4), height);
  } else if (kind === ERASE) {
    if (count(body.get(1)) !== roster.generation + 1) refuse("roster-generation");
    next.frontier = new Map([...map(body.get(5))].map(([device, place]) => {
      blob(device, 16);
      if (list(place).length !== 2) refuse("roster-body");
      return [hex(device), [count(place[0]), blob(place[1], 32)]];
    }));
    next.generation = body.get(1);
    rotate(next, body.get(2), body.get(3), height);
    next.baseline = blob(body.get(4), 32);
  } else if (kind === REPLACE) {
    const successor = await record(body.get(1));
    const cut = count(body.get(2));
    enter(next, successor, height);
    next.members.set(roster.admin, { ...roster.members.get(roster.admin), left: height, cut });
    next.admin = successor.device;
    rotate(next, body.get(3), body.get(4), height);
  } else if (kind === RECOVER) {
    await recover(next, roster, height, body);
  } else {
    refuse("roster-kind");
  }
}

async function recover(next, roster, height, body) {
  const listed = [];
  for (const value of list(body.get(1))) listed.push(await record(value));
  const kept = new Map(listed.map((one) => [one.device, one]));
  const admin = hex(blob(body.get(2), 16));
  const recoverySign = blob(body.get(3), 32);
  if (kept.size < listed.length) refuse("roster-device");
  if (!kept.has(admin)) refuse("roster-admin");
  if (equal(recoverySign, roster.recoverySign)) refuse("roster-recovery");
  const cuts = new Map([...map(body.get(7))].map(([device, cut]) => [hex(blob(device, 16)), count(cut)]));
  const leaving = current(roster).filter((device) => !kept.has(device));
  if (cuts.size !== leaving.length || !leaving.every((device) => cuts.has(device))) refuse("roster-cuts");
  for (const [device, cut] of cuts) next.members.set(device, { ...next.members.get(device), left: height, cut });
  for (const [device, one] of kept) {
    const known = next.members.get(device);
    if (!known) {
      if (lanes(next.members).includes(one.lane)) refuse("roster-lane");
      next.members.set(device, { ...one, since: height, left: null, cut: null });
    } else if (known.lane !== one.lane) {
      refuse("roster-lane");
    } else if (known.left !== null) {
      next.members.set(device, { ...one, since: height, left: null, cut: null });
    }
  }
  Object.assign(next, { admin, recoverySign, recoveryWrap: blob(body.get(4), 32), recoveredAt: height });
  rotate(next, body.get(5), body.get(6), height);
}

function enter(next, one, height) {
  if (next.members.has(one.device)) refuse("roster-device");
  if (lanes(next.members).includes(one.lane)) refuse("roster-lane");
  next.members.set(one.device, { ...one, since: height, left: null, cut: null });
}

function rotate(next, number, commit, height) {
  const last = next.epochs.at(-1).number;
  if (number !== last + 1) refuse("roster-epoch");
  next.epochs = [...next.epochs, { number, commit: blob(commit, 32), height }];
}

function read(entry) {
  if (entry.length <= 64 || entry.length > 64 * 1024) refuse("roster-length");
  const text = entry.slice(0, -64);
  const fields = cbor.decode(text, "roster");
  if (!(fields instanceof Map) || fields.size !== 7 || ![0, 1, 2, 3, 4, 5, 6].every((n) => fields.has(n))) {
    refuse("roster-fields");
  }
  const [version, scope, height, previous, kind, body, signer] = [0, 1, 2, 3, 4, 5, 6].map((n) => fields.get(n));
  if (version !== 1) refuse("roster-version");
  if (!(kind in FIELDS) || typeof kind !== "number") refuse("roster-kind");
  const wanted = FIELDS[kind];
  if (!(body instanceof Map) || body.size !== wanted) refuse("roster-body");
  for (let n = 1; n <= wanted; n += 1) if (!body.has(n)) refuse("roster-body");
  if (count(height) > 10_000) refuse("roster-height");
  if (!(signer instanceof Uint8Array && signer.length === 0)) blob(signer, 16);
  return { text, scope: blob(scope, 16), height, previous: blob(previous, 32), kind, body, signer };
}

async function check(text, entry, signPublic) {
  const signed = join(utf8("memsync/1 roster\0"), await sha256(text));
  if (!(await verify(signPublic, entry.slice(-64), signed))) refuse("roster-signature");
}

async function record(value) {
  if (!Array.isArray(value) || value.length !== 3 || typeof value[2] !== "string") refuse("roster-record");
  if (!/^[a-z]{0,4}$/.test(value[2])) refuse("roster-lane");
  const [signPublic, wrapPublic] = [blob(value[0], 32), blob(value[1], 32)];
  return { signPublic, wrapPublic, lane: value[2], device: hex(await deviceId(signPublic, wrapPublic)) };
}

const list = (value) => (Array.isArray(value) ? value : refuse("roster-body"));
const map = (value) => (value instanceof Map ? value : refuse("roster-body"));
const blob = (value, length) => (value instanceof Uint8Array && value.length === length ? value : refuse("roster-bytes"));

function count(value) {
  return Number.isSafeInteger(value) && value >= 0 && value < 2 ** 48 ? value : refuse("roster-number");
}

export function choose(pinned, other) {
  let common = 0;
  while (common < Math.min(pinned.length, other.length) && equal(pinned[common], other[common])) common += 1;
  if (common === other.length) return "keep";
  if (common === pinned.length) return "take";
  const recovers = (entries) => entries.slice(common).some((entry) => read(entry).kind === RECOVER);
  if (common === 0 || recovers(pinned) === recovers(other)) return "fork";
  return recovers(pinned) ? "keep" : "take";
}

export function shown(roster) {
  return {
    height: roster.height, head: hex(roster.head), admin: roster.admin,
    members: [...roster.members].sort(([a], [b]) => (a < b ? -1 : 1)).map(
      ([device, one]) => [device, one.lane, one.since, one.left, one.cut],
    ),
    epochs: roster.epochs.map((one) => [one.number, hex(one.commit), one.height]),
    generation: roster.generation, recovery_sign: hex(roster.recoverySign), baseline: hex(roster.baseline),
    frontier: [...roster.frontier].sort(([a], [b]) => (a < b ? -1 : 1)).map(([d, [seq, head]]) => [d, seq, hex(head)]),
    recovered_at: roster.recoveredAt,
  };
}
