/** Vercel AI SDK: ToolLoopAgent over @ai-sdk/openai-compatible. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent, isStepCount, jsonSchema, tool } from "ai";
import { config, drive, plainHistory, tools } from "./driver-kit.mjs";

const provider = createOpenAICompatible({
  name: "bench",
  baseURL: config.baseURL,
  apiKey: config.apiKey,
  includeUsage: true,
});
const agent = new ToolLoopAgent({
  model: provider(config.model),
  instructions: config.system,
  tools: Object.fromEntries(
    Object.entries(tools).map(([name, { description, parameters, run }]) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters), execute: run }),
    ]),
  ),
  stopWhen: isStepCount(config.maxSteps),
});

await drive(() => {
  const messages = [];
  return {
    seed: (turns) => void messages.push(...plainHistory(turns)),
    async turn(prompt) {
      messages.push({ role: "user", content: prompt });
      const result = await agent.stream({ messages });
      let text = "";
      for await (const delta of result.textStream) text += delta;
      messages.push(...(await result.responseMessages));
      return text;
    },
  };
});
