// A house of four on the pages: the owner, an operator, a member, and one without an account on any platform.
import { callsTool, says } from "@margay/core/testing";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Browser, logIn } from "./browser.ts";
import { startGateway, type TestGateway } from "./support.ts";

export const CANARIES = { owner: "CANARY-OWNER", bob: "CANARY-BOB", eva: "CANARY-EVA" } as const;
/** Carl has no account on any platform. */
export const people = {
  eva: { name: "Eva", ids: ["webhook:eva"] },
  bob: { role: "operator", ids: ["webhook:bob"] },
  carl: { name: "Carl" },
};
export const channels = {
  webhook: { enabled: true, secret: "webhook-secret", options: { url: "http://127.0.0.1:9/" } },
};

export function spaceOf({ home }: Pick<TestGateway, "home">, person: string): string {
  return join(home, "spaces", `p-${person}`);
}

export async function house(t: Parameters<typeof startGateway>[0], more: object = {}): Promise<TestGateway> {
  return startGateway(t, {
    config: { people, channels, gateway: { limits: { requestsPerMinute: 100_000 }, seedView: true }, ...more } as never,
    prepare: ({ home, workspace }) => {
      mkdirSync(join(workspace, "memory"), { recursive: true });
      writeFileSync(join(workspace, "USER.md"), `${CANARIES.owner} is Ada.`);
      writeFileSync(join(workspace, "memory", "MEMORY.md"), `- ${CANARIES.owner} in memory`);
      for (const person of ["eva", "bob"] as const) {
        mkdirSync(spaceOf({ home }, person), { recursive: true });
        writeFileSync(join(spaceOf({ home }, person), "USER.md"), `${CANARIES[person]} is ${person}.`);
      }
    },
  });
}

export const textOf = (text: string): object => ({ parts: [{ type: "text", text }] });

/** A conversation on the pages, with one message that was answered. @returns its id. */
export async function talks(gateway: TestGateway, browser: Browser, text: string): Promise<string> {
  const { status, body } = await browser.api("/sessions", { method: "POST", body: { message: textOf(text) } });
  expect(status).toBe(201);
  await gateway.app.agent.idle();
  return String(body.id);
}

let serial = 0;
/** In their private chat on a platform. */
export async function writes({ app }: TestGateway, sender: string, text: string): Promise<void> {
  const accepted = await app.agent.bus.accept({
    key: `p${++serial}`,
    origin: { channel: "webhook", chat: sender },
    from: { id: sender, kind: "person" },
    parts: [{ type: "text", text }],
    chat: "private",
  });
  expect(accepted.status).toBe("accepted");
  await app.agent.idle();
}

/** Everybody has said something of theirs, by every way that they have. */
export async function lived(t: Parameters<typeof startGateway>[0]): Promise<{
  readonly gateway: TestGateway;
  readonly browsers: Readonly<Record<"owner" | "bob" | "eva" | "carl", Browser>>;
}> {
  const gateway = await house(t);
  const { model } = gateway;
  const browsers = {
    owner: await logIn(gateway),
    bob: await logIn(gateway, "bob"),
    eva: await logIn(gateway, "eva"),
    carl: await logIn(gateway, "carl"),
  };
  for (const who of ["owner", "bob", "eva"] as const) {
    model.replies(
      callsTool("write_file", { path: "secret.txt", content: CANARIES[who] }),
      callsTool("remember", { text: `The word is ${CANARIES[who]}.` }),
      callsTool("cron", { action: "add", message: `say ${CANARIES[who]}`, every_seconds: 3600 }),
      says(`I keep ${CANARIES[who]}.`),
    );
    const id = await talks(gateway, browsers[who], `My word is ${CANARIES[who]}.`);
    model.replies(says("A file."));
    const { blob } = (await browsers[who].api("/uploads", { method: "POST", raw: `A file of ${CANARIES[who]}.` })).body;
    const parts = [{ type: "media", blob, name: "word.txt" }];
    await browsers[who].api(`/sessions/${id}/messages`, { method: "POST", body: { parts } });
    await gateway.app.agent.idle();
  }
  for (const who of ["bob", "eva"]) {
    model.replies(says(`Again: ${CANARIES[who as "bob"]}.`));
    await writes(gateway, who, `On the phone: ${CANARIES[who as "bob"]}.`);
  }
  return { gateway, browsers };
}
