// Secrets that a whole test run is given, and the search for them in what it leaves. Node 20, built-ins only.
import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** As people name them; nothing that margay or a test reads. Half of them look like no key, so that no pattern hides them. */
const NAMES = {
  ACME_API_KEY: "sk-ant-api03-",
  ACME_CLOUD_TOKEN: "ghp_",
  ACME_CHAT_TOKEN: "xoxb-",
  DEPLOY_ACCESS_KEY: "AKIA",
  DATABASE_PASSWORD: "",
  SMTP_PASSWORD: "",
  BACKUP_PASSPHRASE: "correct horse ",
  SESSION_SIGNING_SECRET: "whsec_",
  REGISTRY_AUTH: "",
  VPN_PASSWORD: "",
  WALLET_SEED: "",
  /** The one that margay knows: the key of the mock provider in the configuration of every test gateway. */
  MARGAY_PLANTED_KEY: "pk/",
};
/** More of one file is not read: what a test fills disks with holds no secret beyond its beginning. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/**
 * A mark of this run stands in each secret, so that one search finds them all.
 * @returns environment with the secrets, and the mark.
 */
export function plant() {
  const mark = randomBytes(12).toString("hex");
  const secrets = Object.entries(NAMES).map(([name, shape]) => [
    name,
    `${shape}${mark}${randomBytes(6).toString("hex")}`,
  ]);
  return { mark, environment: Object.fromEntries(secrets) };
}

/** The mark raw, in base64 at each of its three places, and in hex; letters and digits are the same in a URL. */
export function formsOf(mark) {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(mark)]).toString("base64");
    // What the characters around it decide too is cut off.
    return text
      .replaceAll("=", "")
      .slice(shift === 0 ? 0 : shift + 1, (shift + mark.length) % 3 === 0 ? undefined : -1);
  });
  const hex = Buffer.from(mark).toString("hex");
  return Object.entries({ raw: mark, base64: base64[0], "base64 +1": base64[1], "base64 +2": base64[2], hex });
}

let known = { mark: "", forms: [] };

/** The forms in which the mark stands in some bytes. */
export function findIn(bytes, mark) {
  if (known.mark !== mark) known = { mark, forms: formsOf(mark) };
  return known.forms.flatMap(([form, needle]) => (bytes.includes(needle, 0, "latin1") ? [form] : []));
}

/** Listens to what a run prints. @returns `hear(bytes)`, and the lines that say what was found. */
export function listener(mark) {
  const found = new Set();
  let tail = Buffer.alloc(0);
  const hear = (bytes) => {
    const text = Buffer.concat([tail, bytes]);
    for (const form of findIn(text, mark)) found.add(`a planted secret (${form}) is in what the tests printed`);
    tail = text.subarray(-OVERLAP);
  };
  return { hear, found };
}

/**
 * Every regular file below a directory.
 * @returns `{ files, bytes, hits: [{ path, form }] }`; the one place where the provider's key belongs is left out.
 */
export function searchBelow(directory, mark) {
  const found = { files: 0, bytes: 0, hits: [] };
  const visit = (path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) for (const name of namesIn(path)) visit(join(path, name));
    else if (stats?.isFile() && !/(?:^|\/)config\.json$/.test(path)) {
      found.files += 1;
      for (const form of formsIn(path, found, mark)) found.hits.push({ path, form });
    }
  };
  visit(directory);
  return found;
}

function formsIn(path, count, mark) {
  const forms = new Set();
  for (const piece of piecesOf(path, count)) for (const form of findIn(piece, mark)) forms.add(form);
  return forms;
}

/** One for all files: as many megabytes as there are files would make the garbage collector the slowest part of a test run. */
const memory = Buffer.allocUnsafe(CHUNK_BYTES);

/** The file in pieces that overlap by more than a needle; each is gone when the next is asked for. */
function* chunksOf(fd) {
  for (let position = 0; position < MAX_FILE_BYTES; position += CHUNK_BYTES - OVERLAP) {
    const length = readSync(fd, memory, 0, CHUNK_BYTES, position);
    yield memory.subarray(0, length);
    if (length < CHUNK_BYTES) return;
  }
}

const OVERLAP = 256;

function* piecesOf(path, count) {
  let fd;
  try {
    fd = openSync(path, "r");
    for (const chunk of chunksOf(fd)) {
      count.bytes += chunk.length;
      yield chunk;
    }
  } catch {
    // Gone meanwhile, or closed to us: nobody else finds anything there either.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function namesIn(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
