// Cards and reviews: which words have which ids, and what an event means.
import { hex, orderText, sha256, utf8 } from "./bytes.mjs";
import { isDay, isNumber } from "./shape.mjs";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The ULID of time 0 and the first ten bytes of the hash. */
export async function cardId(word) {
  const hash = await sha256(utf8(`card\0${foldedWord(word)}`));
  let number = BigInt(`0x${hex(hash.subarray(0, 10))}`);
  let text = "";
  for (let n = 0; n < 26; n += 1) {
    text = ALPHABET[Number(number & 31n)] + text;
    number >>= 5n;
  }
  return text;
}

function foldedWord(word) {
  const plain = word.normalize("NFC").toLowerCase().replaceAll("\u2019", "'");
  return plain.split(" ").filter((part) => part).join(" ").normalize("NFC");
}

export const isCard = async (id, value) =>
  typeof value.word === "string" && foldedWord(value.word) !== "" && (await cardId(value.word)) === id;

/** Of the values of one event the earliest that is understood, then the one with the smallest digest; null for none. */
export function foldReview(id, variants) {
  const read = [...variants].map(([h, text]) => [h, review(id, JSON.parse(text))]).filter(([, one]) => one !== null);
  read.sort(([h, a], [k, b]) => a.at - b.at || orderText(h, k));
  return read.length ? read[0][1] : null;
}

/** What is not there is empty; null is not. */
const said = (value, name, empty) => (Object.hasOwn(value, name) ? value[name] : empty);

function review(id, value) {
  const texts = ["kind", "card", "slot", "undoes", "zone", "by", "device"].map((name) => said(value, name, ""));
  const numbers = ["at", "rating", "took"].map((name) => said(value, name, 0));
  if (!texts.every((one) => typeof one === "string") || !numbers.every(isNumber)) return null;
  const [kind, card, slot, undoes, , , device] = texts;
  const [at, rating] = numbers;
  const graded = kind === "answer" || kind === "import";
  const known = graded || kind === "reset" || kind === "undo";
  if (!known || !ID.test(card) || !(slot === "" || isDay(slot)) || (graded && !(rating >= 1 && rating <= 4))) return null;
  if ((kind === "undo") !== ID.test(undoes)) return null;
  return { id, card, kind, rating: graded ? rating : 0, at, device, slot, undoes };
}
