/** Files whose content must not leave by a search or a request: by their names, as people choose them. Pure. */
import { SENSITIVE_START, SENSITIVE_WORDS } from "./sensitive-words.zh.ts";

/** Whole words in a name; `tokenizer.ts` is no token. */
const WORDS =
  /(?:^|[^a-z])(?:secrets?|passwords?|passwd|passphrases?|credentials?|tokens?|api[-_]?keys?|private[-_]?keys?|id_(?:rsa|dsa|ecdsa|ed25519)|netrc|pgpass|htpasswd|keychain|wallet|seed[-_]?phrase|recovery[-_]?codes?)(?![a-z])/i;
const ENDINGS = /\.(?:pem|key|p12|pfx|jks|keystore|kdbx?|gpg|asc|ovpn)$/i;
const DOTENV = /(?:^|\/)\.env(?:\.|$)/i;

/** @param path with `/`. */
export function isSensitivePath(path: string): boolean {
  return DOTENV.test(path) || ENDINGS.test(path) || WORDS.test(path) || SENSITIVE_WORDS.test(path);
}

/** Whether a command names such a file. */
export function namesSensitivePath(command: string): boolean {
  return command
    .split(/[\s'"`;|&<>()=]+/)
    .some((word) => (/[./_-]|secret|passw/i.test(word) || word.includes(SENSITIVE_START)) && isSensitivePath(word));
}
