// Servers on this machine. No key; the model is whatever they have loaded, so none is a default.
import type { Quirks } from "@margay/core/internal";
import type { Vendor } from "./vendor.ts";

/** Chat templates parse the arguments of earlier calls: broken text would fail the whole request. */
const TEMPLATED: Quirks = { brokenArguments: "object" };

/** Ports are each server's defaults: from memory, unverified. 127.0.0.1, as `localhost` may mean ::1 only. */
export const LOCAL_VENDORS: readonly Vendor[] = [
  {
    id: "ollama",
    name: "Ollama",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    keys: [],
    local: true,
    quirks: TEMPLATED,
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:1234/v1",
    keys: [],
    local: true,
    quirks: TEMPLATED,
  },
  {
    id: "llama-server",
    name: "llama.cpp server",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:8080/v1",
    keys: [],
    local: true,
    quirks: TEMPLATED,
  },
  {
    id: "vllm",
    name: "vLLM",
    api: "openai-chat",
    baseUrl: "http://127.0.0.1:8000/v1",
    keys: [],
    local: true,
    quirks: TEMPLATED,
  },
];
