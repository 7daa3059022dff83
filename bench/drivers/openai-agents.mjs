/** OpenAI Agents SDK: Agent and a streamed run, by Chat Completions as the others, with a session in memory. */
import {
  Agent,
  MemorySession,
  run,
  setDefaultOpenAIClient,
  setOpenAIAPI,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { config, drive, plainHistory, tools } from "./driver-kit.mjs";

setDefaultOpenAIClient(new OpenAI({ baseURL: config.baseURL, apiKey: config.apiKey }));
setOpenAIAPI("chat_completions");
setTracingDisabled(true);

const agent = new Agent({
  name: "bench",
  instructions: config.system,
  model: config.model,
  tools: Object.entries(tools).map(([name, { description, parameters, run: execute }]) =>
    tool({ name, description, parameters, strict: true, execute }),
  ),
});

await drive((id) => {
  const session = new MemorySession({ sessionId: id });
  return {
    seed: (turns) => session.addItems(plainHistory(turns).map(asItem)),
    async turn(prompt) {
      const result = await run(agent, prompt, { stream: true, session, maxTurns: config.maxSteps });
      let text = "";
      for await (const delta of result.toTextStream()) text += delta;
      await result.completed;
      return text;
    },
  };
});

function asItem(message) {
  if (message.role === "user") return message;
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text: message.content }] };
}
