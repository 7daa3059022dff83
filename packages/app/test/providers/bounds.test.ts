// What a server that calls itself a provider may list: each bound at n, and at one more.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpFetch } from "@margay/core/internal";
import { fakeClock } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { findModels } from "../../src/models/find-models.ts";
import { listModels } from "../../src/models/model-list.ts";
import { detectServers } from "../../src/models/detect.ts";
import type { Vendor } from "../../src/models/vendor.ts";

/** Answers everything with this. */
async function serving(text: string): Promise<string> {
  const server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/v1`;
}
const models = (count: number): string =>
  JSON.stringify({ data: Array.from({ length: count }, (_, n) => ({ id: `m${n}` })) });

async function listed(text: string): Promise<number | "none"> {
  const endpoint = { api: "openai-chat", baseUrl: await serving(text), key: undefined, headers: {} } as const;
  const list = await listModels(endpoint, httpFetch(), new AbortController().signal);
  return list.status === "listed" ? list.models.length : "none";
}

test("model-list/MAX_MODELS, model-list/MAX_BYTES: 2,000 models and 8 MB of a list are read", async () => {
  expect([await listed(models(2000)), await listed(models(2001))]).toEqual([2000, 2000]);
  const one = models(1);
  const sized = (chars: number): string => one + " ".repeat(chars - one.length);
  expect([await listed(sized(8 * 1024 * 1024)), await listed(sized(8 * 1024 * 1024 + 1))]).toEqual([1, "none"]);
});

const vendorAt = (baseUrl: string): Vendor =>
  ({ id: "local", name: "local", api: "openai-chat", baseUrl, keys: [], local: true }) as const;

test("detect/MAX_MODELS: 200 models of a server on this machine are known", async () => {
  const found = async (count: number): Promise<number | undefined> => {
    const vendors = [vendorAt(await serving(models(count)))];
    return (await detectServers({ fetch: httpFetch(), clock: fakeClock(), vendors }))[0]?.models.length;
  };
  expect([await found(200), await found(201)]).toEqual([200, 200]);
});

test("find-models/MAX_PER_SERVER: four models of a server are offered to choose from", async () => {
  const offered = async (count: number): Promise<number> =>
    (await findModels({}, [vendorAt(await serving(models(count)))])).length;
  expect([await offered(4), await offered(5)]).toEqual([4, 4]);
});
