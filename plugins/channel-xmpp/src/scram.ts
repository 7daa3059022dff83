/** SCRAM (RFC 5802) by the system's own hash: the library's is made of JavaScript, and holds everything up for seconds. */
import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** What the library asks of a mechanism. */
export interface Mechanism {
  readonly name: string;
  readonly clientFirst: true;
  response(credentials: Credentials): Promise<string>;
  challenge(text: string): Promise<void>;
}

/** More rounds than any server asks for would keep a processor busy for whoever plays the server. */
const MOST_ROUNDS = 1_000_000;

/** What the library makes its mechanisms of. */
export function scram(hash: "sha1" | "sha256"): new () => Mechanism {
  return class Scram implements Mechanism {
    readonly name = hash === "sha1" ? "SCRAM-SHA-1" : "SCRAM-SHA-256";
    readonly clientFirst = true;
    readonly #nonce = randomBytes(18).toString("base64");
    #first = "";
    #challenge: string | undefined;

    challenge(text: string): Promise<void> {
      this.#challenge = text;
      return Promise.resolve();
    }

    async response({ username, password }: Credentials): Promise<string> {
      if (this.#challenge === undefined) {
        this.#first = `n=${username.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${this.#nonce}`;
        return `n,,${this.#first}`;
      }
      return this.#proof(this.#challenge, password);
    }

    async #proof(challenge: string, password: string): Promise<string> {
      const fields = new Map(challenge.split(",").map((field) => [field.slice(0, 2), field.slice(2)]));
      const [nonce, salt, rounds] = [fields.get("r=") ?? "", fields.get("s=") ?? "", Number(fields.get("i="))];
      if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce || !(rounds >= 1 && rounds <= MOST_ROUNDS))
        throw new Error("The server's challenge is not to be answered.");
      const salted = await derive(password.normalize("NFKC"), Buffer.from(salt, "base64"), rounds, hash);
      const clientKey = createHmac(hash, salted).update("Client Key").digest();
      const stored = createHash(hash).update(clientKey).digest();
      const last = `c=biws,r=${nonce}`;
      const signature = createHmac(hash, stored).update(`${this.#first},${challenge},${last}`).digest();
      const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
      return `${last},p=${Buffer.from(proof).toString("base64")}`;
    }
  };
}

function derive(password: string, salt: Buffer, rounds: number, hash: "sha1" | "sha256"): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    pbkdf2(password, salt, rounds, hash === "sha1" ? 20 : 32, hash, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
