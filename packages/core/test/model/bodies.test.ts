// The bodies that vendors get, for every kind of request: a change here is a change in what is sent.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { WireKind } from "../../src/model/quirks.ts";
import { bodyScenes, type BodyScene } from "../support/body-scenes.ts";
import { hear, wireProvider } from "../support/wire-provider.ts";

const APIS: readonly WireKind[] = ["anthropic", "openai-chat", "openai-responses", "google"];
/** Of a client and a connection, not of the request. */
const PASSING = new Set(["user-agent", "content-length", "accept-encoding"]);

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What is handed to the network. */
async function sentFor({ api, quirks, request }: BodyScene): Promise<Sent | undefined> {
  let sent: Sent | undefined;
  const record = (url: unknown, { headers, body }: RequestInit = {}): Promise<Response> => {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array); // nothing else is sent
    sent = {
      url: String(url),
      headers: Object.fromEntries(
        Object.entries(headers as Readonly<Record<string, string>>) // as our fetch takes them
          .map(([name, value]) => [name.toLowerCase(), value] as const)
          .filter(([name]) => !PASSING.has(name))
          .toSorted(([a], [b]) => a.localeCompare(b)),
      ),
      body: JSON.parse(text) as unknown,
    };
    return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 400 }));
  };
  await hear(wireProvider({ api, url: "http://vendor.test", quirks, fetch: record as typeof fetch }), request);
  return sent;
}

for (const api of APIS)
  test(`R2 R139 PR5 PR6 PR21 PR23 PR24 what is sent to ${api}, for every history, setting and quirk`, async () => {
    const file = new URL(`../fixtures/bodies/${api}.json`, import.meta.url);
    const sent: Record<string, Sent | undefined> = {};
    for (const scene of bodyScenes(api)) sent[scene.name] = await sentFor(scene);
    // To change what is sent on purpose: run once with this, and read the difference.
    if (process.env["MARGAY_RECORD_BODIES"] === "1")
      writeFileSync(
        file,
        `{\n${Object.entries(sent)
          .map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`)
          .join(",\n")}\n}\n`,
      );
    const known = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, Sent>>; // a fixture of our own
    expect(Object.keys(sent)).toEqual(Object.keys(known));
    for (const [name, one] of Object.entries(sent)) expect(one, name).toEqual(known[name]);
  });
