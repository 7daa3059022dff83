import { httpFetch } from "@margay/core/internal";
import { fakeClock, startMockModel } from "@margay/core/testing";
import { expect, test } from "vitest";
import { detectKeys, detectServers } from "../../src/models/detect.ts";
import type { Vendor } from "../../src/models/vendor.ts";

test("keys are found by their variables, blank ones are not", () => {
  const found = detectKeys({ OPENAI_API_KEY: " ", GOOGLE_API_KEY: "g", GROQ_API_KEY: "q", PATH: "/bin" });
  expect(found.map(({ vendor, variable }) => [vendor.id, variable])).toEqual([
    ["google", "GOOGLE_API_KEY"],
    ["groq", "GROQ_API_KEY"],
  ]);
  expect(detectKeys({})).toEqual([]);
});

const local = (id: string, baseUrl: string): Vendor => ({
  id,
  name: id,
  api: "openai-chat",
  baseUrl,
  keys: [],
  local: true,
});

test("servers that answer are found with their models, closed ports are not", async () => {
  await using mock = await startMockModel({ models: ["one", "two"] });
  const found = await detectServers({
    fetch: httpFetch(),
    clock: fakeClock(),
    vendors: [local("there", `${mock.url}/v1`), local("closed", "http://127.0.0.1:1/v1")],
  });
  expect(found.map(({ vendor, models }) => [vendor.id, models])).toEqual([["there", ["one", "two"]]]);
});

test("something else that listens on the port is not a model server", async () => {
  for (const body of ["<html></html>", "{}", '{"data":{}}', "null"]) {
    const answer = (): Promise<Response> => Promise.resolve(new Response(body));
    expect(
      await detectServers({ fetch: answer, clock: fakeClock(), vendors: [local("other", "http://127.0.0.1:9/v1")] }),
    ).toEqual([]);
  }
});

test("a server that does not answer in 300 ms is not there", async () => {
  const clock = fakeClock();
  const silent = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  const found = detectServers({ fetch: silent, clock, vendors: [local("slow", "http://127.0.0.1:9/v1")] });
  await clock.waitForSleep();
  await clock.advance(300);
  expect(await found).toEqual([]);
});

test("only loopback is asked", async () => {
  const asked: string[] = [];
  const record = (url: unknown): Promise<Response> => {
    asked.push(new URL(String(url)).host);
    return Promise.reject(new Error("closed"));
  };
  expect(await detectServers({ fetch: record, clock: fakeClock() })).toEqual([]);
  expect(asked.toSorted()).toEqual(["127.0.0.1:11434", "127.0.0.1:1234", "127.0.0.1:8000", "127.0.0.1:8080"]);
});
