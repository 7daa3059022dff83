import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./cli/harness.ts";

/** A stand-in for Brave. */
async function brave(): Promise<{ readonly url: string; readonly asked: IncomingHttpHeaders[] }> {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    response.end(
      JSON.stringify({ web: { results: [{ title: "Otters", url: "https://example.com", description: "" }] } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const NO_KEY = "Error: web search has no API key. Next: tell the user to set tools.webSearch.apiKey.";

for (const [where, apiKey, env, sent] of [
  ["configured", "brave-configured", {}, "brave-configured"],
  ["in the environment", undefined, { BRAVE_API_KEY: "brave-of-env" }, "brave-of-env"],
  ["in both, where the configured one wins", "brave-configured", { BRAVE_API_KEY: "brave-of-env" }, "brave-configured"],
  ["nowhere, and everything else works", undefined, {}, undefined],
] as const)
  test(`R14 the Brave key is ${where}`, async () => {
    const engine = await brave();
    const model = await startMockModel();
    onTestFinished(() => model.close());
    const app = margay();
    app.configure({
      ...modelConfig(model.url),
      tools: { webSearch: { engine: "brave", baseUrl: engine.url, ...(apiKey !== undefined && { apiKey }) } },
    });
    model.replies(callsTool("web_search", { query: "otters" }), says("done"));
    expect(await app.run(["agent", "-m", "search"], { env })).toMatchObject({ code: 0, out: "done\n" });
    expect(engine.asked.map((headers) => headers["x-subscription-token"])).toEqual(sent === undefined ? [] : [sent]);
    const [result] = model.requests[1]?.toolResults ?? [];
    expect(result?.text).toContain(sent === undefined ? NO_KEY : "1. Otters");
  });
