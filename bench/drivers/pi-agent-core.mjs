/** pi-agent-core: its Agent over a provider of pi-ai; no files and no prompt of its own. */
import { Agent } from "@earendil-works/pi-agent-core";
import { createModels, createProvider, envApiKeyAuth } from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { config, drive, plainHistory, tools } from "./driver-kit.mjs";

const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const model = {
  id: config.model,
  name: config.model,
  api: "openai-completions",
  provider: "bench",
  baseUrl: config.baseURL,
  reasoning: false,
  input: ["text"],
  cost: nothing,
  contextWindow: 2_000_000,
  maxTokens: 8192,
  compat: { supportsDeveloperRole: false },
};
process.env.BENCH_KEY = config.apiKey;
const models = createModels();
models.setProvider(
  createProvider({
    id: "bench",
    name: "bench",
    baseUrl: config.baseURL,
    auth: { apiKey: envApiKeyAuth("bench", ["BENCH_KEY"]) },
    models: [model],
    api: openAICompletionsApi(),
  }),
);
const toolset = Object.entries(tools).map(([name, { description, parameters, run }]) => ({
  name,
  label: name,
  description,
  parameters,
  execute: async (_id, args) => ({ content: [{ type: "text", text: await run(args) }], details: {} }),
}));

await drive((id) => {
  const agent = new Agent({
    initialState: { systemPrompt: config.system, model, thinkingLevel: "off", tools: toolset },
    streamFn: models.streamSimple.bind(models),
    sessionId: id,
  });
  let text = "";
  agent.subscribe((event) => {
    if (event.type === "message_start" && event.message.role === "assistant") text = "";
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      text += event.assistantMessageEvent.delta;
  });
  return {
    seed: (turns) => void agent.state.messages.push(...plainHistory(turns).map(asMessage)),
    async turn(prompt) {
      await agent.prompt(prompt);
      if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
      return text;
    },
  };
});

function asMessage(message, at) {
  if (message.role === "user") return { ...message, timestamp: at };
  return {
    role: "assistant",
    content: [{ type: "text", text: message.content }],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { ...nothing, cost: nothing, totalTokens: 0 },
    stopReason: "stop",
    timestamp: at,
  };
}
