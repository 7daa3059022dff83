/** Whether a model that was chosen answers, asked as the agent will ask it; and what a server at an address lists. */
import { httpFetch, messageOf } from "@margay/core/internal";
import type { Cli } from "../../host/cli/command.ts";
import { reasonOf } from "../../models/connection.ts";
import { listModels } from "../../models/model-list.ts";
import type { Trying } from "./choice.ts";
import type { OnboardTexts } from "./texts.ts";

/** Whoever waits at a terminal wants to know by then; a local server may load the model first. */
const TEST_MS = 90_000;
const LIST_MS = 10_000;
/** A model in a list of names that is for texts, not for talk. */
const NO_CHAT = /embed|rerank|whisper/i;

export function createTrying(cli: Cli, texts: OnboardTexts): Trying {
  const within = (ms: number): AbortSignal => AbortSignal.any([cli.signal, AbortSignal.timeout(ms)]);
  return {
    list: async (baseUrl, key) => {
      const endpoint = { api: "openai-chat", baseUrl, key, headers: {} } as const;
      try {
        const list = await listModels(endpoint, httpFetch(), within(LIST_MS));
        if (list.status === "listed")
          return { status: "models", models: list.models.filter((name) => /^\S+$/.test(name) && !NO_CHAT.test(name)) };
        if (list.status === "none") return { status: "models", models: [] };
        if (list.http === 401 || list.http === 403) return { status: "key" };
        return { status: "fault", why: texts("answered", { url: baseUrl, status: list.http }) };
      } catch (error) {
        cli.signal.throwIfAborted();
        return { status: "fault", why: texts("notReached", { url: baseUrl, why: reasonOf(error) }) };
      }
    },
    test: async ({ model, key, baseUrl }) => {
      const { probeModel } = await import("../../models/model-check.ts");
      const { config } = cli.load();
      const id = model.slice(0, model.indexOf("/"));
      const provider = {
        ...config.providers[id],
        ...(baseUrl !== undefined && ({ api: "openai-chat", baseUrl } as const)),
        ...(key !== undefined && { apiKey: key }),
      };
      const providers = Object.keys(provider).length === 0 ? config.providers : { ...config.providers, [id]: provider };
      const options = { config: { ...config, providers }, env: cli.environment.env, home: cli.places.home };
      try {
        return { ms: (await probeModel(model, options, within(TEST_MS))).ms };
      } catch (error) {
        cli.signal.throwIfAborted();
        const why = messageOf(error); // a vendor may quote the key it was sent
        return { why: key === undefined || key.length < 4 ? why : why.replaceAll(key, "[redacted]") };
      }
    },
  };
}
