/** A message that only one browser can read: encrypted for it (RFC 8291), and signed for its push service (RFC 8292). */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from "node:crypto";
import type { Millis } from "@margay/core/internal";

/** What a browser handed over: its point on P-256, and 16 bytes that only it and we know. Base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Our key: P-256, as in a JSON Web Key. Base64url. */
export interface VapidKey {
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
/** One record holds all: RFC 8291, section 4. */
const RECORD_BYTES = 4096;
/** Longer than any of our messages: what is sent has one length, whatever it says. */
const PADDED_BYTES = 256;
/** RFC 8292 allows a day. */
const SIGNED_MS = 12 * 3_600_000;

export function newVapidKey(): VapidKey {
  const {
    x = "",
    y = "",
    d = "",
  } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
    format: "jwk",
  });
  return { x, y, d };
}

/** As `applicationServerKey` of a browser takes it: the uncompressed point, base64url. */
export function publicOf({ x, y }: VapidKey): string {
  const point = [Uint8Array.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  return Buffer.concat(point).toString("base64url");
}

/** Whether they are what they should be: a point of the curve, and 16 bytes. */
export function areKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, "base64url");
  if (point.length !== POINT_BYTES || point[0] !== 4 || Buffer.from(auth, "base64url").length !== AUTH_BYTES)
    return false;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  try {
    createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });
    return true;
  } catch {
    return false; // beside the curve
  }
}

/** What is random in a message; given where a known answer is looked for. */
export interface Chance {
  readonly salt: Uint8Array;
  /** Private key of this one message. */
  readonly once: Uint8Array;
}

/**
 * The body of a POST to the endpoint, `content-encoding: aes128gcm`.
 * @param padded how many bytes it has before it is encrypted. @see RFC 8291 section 3.4, RFC 8188 section 2.
 * @throws the system's error when a key is none.
 */
export function sealed(text: string, keys: PushKeys, padded = PADDED_BYTES, chance?: Chance): Uint8Array {
  const [theirs, secret] = [Buffer.from(keys.p256dh, "base64url"), Buffer.from(keys.auth, "base64url")];
  const ecdh = createECDH(CURVE);
  if (chance === undefined) ecdh.generateKeys();
  else ecdh.setPrivateKey(chance.once);
  const [ours, salt] = [ecdh.getPublicKey(), chance?.salt ?? randomBytes(SALT_BYTES)];
  const shared = ecdh.computeSecret(theirs);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const input = Buffer.from(hkdfSync("sha256", shared, secret, info, 32));
  const derived = (what: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", input, salt, `Content-Encoding: ${what}\0`, bytes));
  const cipher = createCipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  const plain = Buffer.from(text);
  // 2: this record is the last; zeros behind it are padding.
  const record = Buffer.concat([plain, Uint8Array.of(2), Buffer.alloc(Math.max(0, padded - plain.length))]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const head = [salt, size, Uint8Array.of(ours.length), ours];
  return Buffer.concat([...head, cipher.update(record), cipher.final(), cipher.getAuthTag()]);
}

interface Signed {
  /** Whom it is for: the push service alone takes it. */
  readonly endpoint: string;
  readonly now: Millis;
  /** Whom the service may write to: `https:` or `mailto:`. */
  readonly subject: string;
}

/** The header `authorization` of that POST. @see RFC 8292, sections 2 and 3. */
export function signature(key: VapidKey, { endpoint, now, subject }: Signed): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor((now + SIGNED_MS) / 1000), sub: subject };
  const parts = [{ typ: "JWT", alg: "ES256" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  const unsigned = parts.join(".");
  const own = createPrivateKey({ key: { kty: "EC", crv: "P-256", ...key }, format: "jwk" });
  const made = sign("sha256", Buffer.from(unsigned), { key: own, dsaEncoding: "ieee-p1363" });
  return `vapid t=${unsigned}.${made.toString("base64url")}, k=${publicOf(key)}`;
}
