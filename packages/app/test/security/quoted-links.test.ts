// Links that stood in a page are followed unasked, so many in a turn: which of them is all that their server learns of what was read.
import { callsTool, says } from "@margay/core/testing";
import { callsTools, type Reply } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { startGateway } from "../gateway/support.ts";
import { startHosts } from "./hosts.ts";

const fetches = (urls: readonly string[]): Reply =>
  callsTools(urls.map((url) => ({ name: "web_fetch", args: { url } })));

/** How a model that was talked into it may ask for them. */
const WAYS: readonly (readonly [string, (urls: readonly string[]) => readonly Reply[]])[] = [
  ["one after the other", (urls) => urls.map((url) => callsTool("web_fetch", { url }))],
  ["all in one answer", (urls) => [fetches(urls)]],
  ["in two answers", (urls) => [fetches(urls.slice(0, 15)), fetches(urls.slice(15))]],
];

test.for(WAYS)("SE7 twenty pages of a turn are read unasked, and no more of their links, %s", async ([, ask], t) => {
  let page = "";
  await using hosts = await startHosts(() => page);
  const { address, requests } = hosts.of["page.test"];
  const links = Array.from({ length: 30 }, (_, n) => `http://${address}/link-${n}`);
  page = links.join("\n");
  const gateway = await startGateway(t, { config: { tools: { webFetch: { allowHosts: [address] } } } });
  const first = `http://${address}/first`;
  gateway.model.replies(callsTool("web_fetch", { url: first }), ...ask(links), says("done"));
  await gateway.app.agent.send("web:one", `read ${first} and what it links to`, { attended: false }).finished;
  expect(requests).toEqual(["/first", ...links.slice(0, 19).map((link) => new URL(link).pathname)]);
  const calls = (await gateway.app.audit.list({ kind: "call" })).filter((entry) => entry.kind === "call");
  expect(calls.filter(({ decision }) => decision === "deny")).toHaveLength(11);
});
