// A push service as strict as those of the vendors: RFC 8030 (delivery), 8188 and 8291 (encryption), 8292 (who sends).
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { selfSigned } from "../gateway/certificate.ts";
import type { Owner } from "../gateway/support.ts";

/** As it crossed the network. */
export interface Sealed {
  readonly headers: IncomingMessage["headers"];
  /** Whom the sender may be reached by. */
  readonly subject: string;
  readonly body: Buffer;
}

export interface Message extends Sealed {
  /** What the browser reads. */
  readonly text: string;
}

/** What a browser hands over, and what it got. */
export interface Subscribed {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly messages: readonly Message[];
}

export interface PushService {
  /** `localhost:PORT`. */
  readonly host: string;
  /** Requests so far, also those that were refused. */
  readonly asked: number;
  /** What was wrong with those that no vendor would take. */
  readonly faults: readonly string[];
  /** @param key as `applicationServerKey` of a browser. */
  subscribe(key: string): Subscribed;
  /** An address of a browser that has its own keys. @param take gets what may be delivered. */
  address(key: string, take: (message: Sealed) => void): { readonly endpoint: string; end(): void };
  /** The next requests are answered so, whatever they are. */
  answers(...next: readonly { readonly status: number; readonly headers?: OutgoingHttpHeaders }[]): void;
}

/** Behind one address. */
interface Held {
  /** The only one whose signature is taken. */
  readonly key: string;
  take(message: Sealed): void;
}

type Keys = Pick<Subscribed, "keys"> & { readonly own: Buffer };

/** TLS with a certificate that this process trusts until the test is over. */
export async function startPushService(t: Owner): Promise<PushService> {
  const certificate = selfSigned("localhost");
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate.cert]);
  const held = new Map<string, Held>();
  const faults: string[] = [];
  const next: { readonly status: number; readonly headers?: OutgoingHttpHeaders }[] = [];
  const count = { asked: 0 };
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    void bodyOf(request).then((body) => {
      count.asked += 1;
      const scripted = next.shift();
      if (scripted !== undefined) return void response.writeHead(scripted.status, scripted.headers).end();
      const to = held.get(request.url ?? "");
      if (to === undefined) return void response.writeHead(410).end();
      const { port } = server.address() as AddressInfo;
      try {
        to.take(checked(request, body, to, `https://localhost:${port}`));
      } catch (error) {
        faults.push(String(error));
        return void response.writeHead(400).end();
      }
      response.writeHead(201, { location: `https://localhost:${port}/message/${count.asked}` }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(async () => {
    setDefaultCACertificates(before);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const address: PushService["address"] = (key, take) => {
    const path = `/push/${randomBytes(16).toString("base64url")}`;
    held.set(path, { key, take });
    return { endpoint: `https://${host}${path}`, end: () => void held.delete(path) };
  };
  return {
    host,
    get asked() {
      return count.asked;
    },
    faults,
    subscribe: (key) => {
      const ecdh = createECDH("prime256v1");
      const keys = { p256dh: ecdh.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
      const own = ecdh.getPrivateKey();
      const messages: Message[] = [];
      const { endpoint } = address(key, (message) => {
        messages.push({ ...message, text: opened(message.body, { own, keys }) });
      });
      return { endpoint, keys, messages };
    },
    address,
    answers: (...more) => void next.push(...more),
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function checked({ method, headers }: IncomingMessage, body: Buffer, to: Held, origin: string): Sealed {
  const need = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(what);
  };
  need(method === "POST", "a message is a POST");
  need(/^\d+$/.test(String(headers["ttl"])), "TTL: seconds");
  need(headers["content-encoding"] === "aes128gcm", "aes128gcm alone");
  need(/^[\w-]{1,32}$/.test(String(headers["topic"] ?? "x")), "Topic: 32 characters of base64url");
  need(["very-low", "low", "normal", "high"].includes(String(headers["urgency"] ?? "normal")), "Urgency");
  need(body.length <= 4096, "4,096 bytes at most");
  const { key, claims } = verified(String(headers["authorization"]));
  need(key === to.key, "signed by another key than the one of the subscription");
  need(claims.aud === origin, `aud is ${claims.aud}`);
  need(claims.exp <= Date.now() / 1000 + 10 * 365 * 86_400, "exp"); // the gateway has a clock of its own here
  need(/^(?:https|mailto):/.test(claims.sub), "sub: an address");
  return { headers, subject: claims.sub, body };
}

interface Claims {
  readonly aud: string;
  readonly exp: number;
  readonly sub: string;
}

/** RFC 8292, section 3. @throws Error when it is not signed by its own key. */
export function verified(authorization: string): { readonly key: string; readonly claims: Claims } {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? [];
  const [head = "", body = "", signed = ""] = token.split(".");
  const part = (text: string): unknown => JSON.parse(Buffer.from(text, "base64url").toString());
  if ((part(head) as { alg: string }).alg !== "ES256") throw new Error("ES256 alone");
  const point = Buffer.from(key, "base64url");
  const [x = "", y = ""] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const own = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const from = { key: own, dsaEncoding: "ieee-p1363" } as const;
  if (!verify("sha256", Buffer.from(`${head}.${body}`), from, Buffer.from(signed, "base64url")))
    throw new Error("the signature is not of this key");
  return { key, claims: part(body) as Claims };
}

/** As a browser does: RFC 8291 section 3.4, RFC 8188 section 2. */
export function opened(body: Buffer, { own, keys }: Keys): string {
  const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)];
  const [theirs, record] = [body.subarray(21, 21 + length), body.subarray(21 + length)];
  if (record.length > size) throw new Error("one record alone");
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(own);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), theirs]);
  const input = hkdfSync("sha256", ecdh.computeSecret(theirs), Buffer.from(keys.auth, "base64url"), info, 32);
  const derived = (what: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", Buffer.from(input), salt, Buffer.from(`Content-Encoding: ${what}\0`), bytes));
  const decipher = createDecipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  decipher.setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = plain.findLastIndex((byte) => byte !== 0);
  if (plain[end] !== 2) throw new Error("the last record ends with 2");
  return plain.subarray(0, end).toString();
}
