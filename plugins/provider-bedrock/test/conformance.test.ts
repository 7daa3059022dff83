import { providerConformance } from "@margay/core/testing";
import { test } from "vitest";
import { startConverse } from "./support/converse-server.ts";
import { bedrock } from "./support/provider.ts";

providerConformance(
  (name, run) => {
    test(`R2 R305 bedrock, ${name}`, run);
  },
  async () => {
    const server = await startConverse();
    return {
      provider: bedrock(server.url),
      model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      replies: server.replies,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
);
