// Turns that take a while, and pages that follow them over a socket.
import { callsTool, says } from "@margay/core/testing";
import { type Reply } from "@margay/core/internal/testing";
import { expect } from "vitest";
import type { Client, Frame } from "./frames.ts";
import type { Page } from "./page.ts";
import type { TestGateway } from "./support.ts";

/** Rounds of calls and text: some forty commits and many live events. */
export function script(rounds: number): readonly Reply[] {
  const calls = Array.from({ length: rounds }, (_, round) =>
    callsTool("list_dir", { path: "." }, { text: `Round ${round}. ` }),
  );
  return [...calls, says("The end of it, word by word.", { chunks: 7 })];
}

export async function begin(gateway: TestGateway, text: string): Promise<string> {
  const made = await gateway.api("/sessions", {
    method: "POST",
    body: { message: { parts: [{ type: "text", text }] } },
  });
  expect(made.status).toBe(201);
  return made.body.id as string;
}

/** Follows with a page until the turn has ended. @returns what is left of the socket's work. */
export function follow(tab: Client, pages: readonly Page[]): void {
  const take = (frame: Frame): void => {
    for (const page of pages) page.take(frame);
  };
  for (const frame of tab.frames) take(frame);
  tab.socket.on("message", (data: Buffer) => take(JSON.parse(data.toString())));
}

export async function whole(gateway: TestGateway, session: string): Promise<readonly unknown[]> {
  return (await gateway.api(`/sessions/${session}/messages?limit=200`)).body.items;
}
