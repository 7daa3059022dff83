/** Slack calls an address of ours: the same that a socket tells, proven by its signature and answered when it was taken. */
import { createHmac } from "node:crypto";
import type { Account } from "../account.ts";
import { parsed, textOf, type Wire } from "../json.ts";
import type { Line } from "./line.ts";
import type { Envelope } from "./socket.ts";

type CalledAccount = Pick<Account, "host" | "settings">;

/** Where: `/hooks/channel/{id}/events`, for events, buttons and commands alike. */
const PATH = "events";

/** @throws a fault `config`: nobody could call. */
export function openCalls({ host, settings }: CalledAccount, signal: AbortSignal): Line {
  const calls = host.calls<Envelope>(
    PATH,
    {
      proof: (headers, body) => proofOf(settings.signingSecret, headers, body),
      read: (headers, body) => {
        host.alive();
        const text = Buffer.from(body).toString();
        const read = readCall(headers.get("content-type") ?? "", text);
        if (read === undefined) host.deadLetter(text, new Error("no JSON object"));
        if (read === undefined || "challenge" in read) return { answer: read };
        return { told: { ...read, id: headers.get("x-slack-retry-num") ?? "" } };
      },
    },
    signal,
  );
  return {
    async next() {
      const { told, taken } = await calls.next();
      return { envelope: told, acknowledge: taken };
    },
    [Symbol.dispose]: () => calls[Symbol.dispose](),
  };
}

type Proof = ReturnType<Parameters<Account["host"]["http"]>[1]["proof"]>;

/** `v0=` and the HMAC-SHA256 of `v0:time:body`, as Slack signs. */
function proofOf(secret: string, headers: Headers, body: Uint8Array): Proof {
  const given = headers.get("x-slack-signature");
  if (given === null) return undefined;
  const time = headers.get("x-slack-request-timestamp") ?? "";
  const hash = createHmac("sha256", secret).update(`v0:${time}:`).update(body).digest("hex");
  return { given, expected: `v0=${hash}`, signedAt: /^\d+$/.test(time) ? Number(time) * 1000 : Number.NaN };
}

/** What a socket calls `events_api`, `interactive` and `slash_commands`. */
function readCall(type: string, text: string): Omit<Envelope, "id"> | { readonly challenge: string } | undefined {
  if (type.startsWith("application/x-www-form-urlencoded"))
    return readForm(Object.fromEntries(new URLSearchParams(text)));
  const payload = parsed(text);
  const challenge = textOf(payload?.["challenge"]);
  if (payload?.["type"] === "url_verification" && challenge !== undefined) return { challenge };
  // What is no event, as a word on our pace, is taken and does nothing.
  return payload === undefined ? undefined : { type: "events_api", payload };
}

function readForm(form: Wire): Omit<Envelope, "id"> | undefined {
  const pressed = textOf(form["payload"]);
  // Slack looks now and then whether somebody is there, with a form that holds no command.
  if (pressed === undefined)
    return { type: textOf(form["command"]) === undefined ? "" : "slash_commands", payload: form };
  const payload = parsed(pressed);
  return payload === undefined ? undefined : { type: "interactive", payload };
}
