/** Requests to the server of a target: repeated when it is busy, and told in words when it refuses. */
import type { Clock } from "@margay/core";
import { RuntimeError } from "@margay/core";
import { httpFetch, messageOf, type Millis } from "@margay/core/internal";

export interface Login {
  /** Of WebDAV the user, of S3 the ID of the access key. */
  readonly user?: string;
  readonly password?: string;
}

export interface ServerOptions {
  /** As the person named the target. */
  readonly name: string;
  readonly login: Login;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Ask {
  readonly method: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A pack of 16 MiB over a line of 150 kbit/s. */
const REQUEST_MS: Millis = 15 * 60_000;
const PAUSES_MS: readonly Millis[] = [500, 2000, 8000];
/** Too early, too many, and whatever the server did wrong: asked again. Everything that is asked may be. */
const BUSY = /^(?:408|425|429|500|502|503|504)$/;
const SAID_CHARS = 300;

/** @returns answers with a status that is wanted; every other one is thrown. @throws RuntimeError `backup.missing`. */
export function openServer(
  { name, clock, signal }: ServerOptions,
  sign: (ask: Ask) => Promise<Readonly<Record<string, string>>>,
): (ask: Ask, wanted: readonly number[]) => Promise<Response> {
  const fetch = httpFetch();
  const once = async (ask: Ask): Promise<Response> => {
    const { method, url, body } = ask;
    const within = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
    return fetch(url, {
      method,
      headers: await sign(ask),
      signal: within,
      ...(body && { body: new Uint8Array(body) }),
    });
  };
  return async (ask, wanted) => {
    for (let attempt = 0; ; attempt++) {
      const pause = PAUSES_MS[attempt];
      const answer = await once(ask).catch((error: unknown) => {
        signal.throwIfAborted();
        if (pause === undefined) throw failed(name, messageOf(error));
        return undefined;
      });
      if (answer !== undefined && wanted.includes(answer.status)) return answer;
      const said = (await answer?.text().catch(() => "")) ?? "";
      if (answer !== undefined && (pause === undefined || !BUSY.test(String(answer.status))))
        throw failed(name, `${ask.method} ${answer.status} ${plainOf(said)}`);
      await clock.sleep(pause ?? 0, signal);
    }
  };
}

/** Of XML and HTML the words. */
function plainOf(text: string): string {
  return text
    .replace(/<[^>]*>/g, " ")
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, SAID_CHARS);
}

export function failed(name: string, said: string): RuntimeError {
  return new RuntimeError(
    "backup.missing",
    `${name} did not do what a backup needs: ${said.trim()}. Look at the address, at backup.user and backup.password, and whether it is reachable. What was there before is whole.`,
    { retryable: true },
  );
}

/** A part of XML, by its name without the prefix: `<D:href>` and `<href>` alike. */
export function parts(xml: string, name: string): readonly string[] {
  const pattern = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^>]*)?>([\\s\\S]*?)</(?:[\\w.-]+:)?${name}\\s*>`, "gi");
  return [...xml.matchAll(pattern)].map(([, content = ""]) => content);
}
