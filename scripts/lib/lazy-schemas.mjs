// A bundler plugin: the AI SDK's schema of a streamed chunk is made when the first chunk arrives, not before the request
// is sent. zod compiles it in 3 ms, of a start that takes 80.
const MODEL = /[\\/]@ai-sdk[\\/]openai-compatible[\\/]dist[\\/]index\.js$/;
const EAGER = "this.chunkSchema = createOpenAICompatibleChatChunkSchema(errorStructure.errorSchema);";
/** A function is a lazy schema to the SDK (`asSchema` of provider-utils). */
const LAZY =
  "let schema; this.chunkSchema = () => (schema ??= lazyZodSchema(createOpenAICompatibleChatChunkSchema(errorStructure.errorSchema)));";

export function lazySchemas() {
  return {
    name: "lazy-schemas",
    transform: {
      filter: { id: MODEL },
      handler(code) {
        if (!code.includes(EAGER))
          throw new Error("@ai-sdk/openai-compatible changed: see scripts/lib/lazy-schemas.mjs.");
        return {
          code: `import { zodSchema as lazyZodSchema } from "@ai-sdk/provider-utils";\n${code.replace(EAGER, LAZY)}`,
          map: null,
        };
      },
    },
  };
}
