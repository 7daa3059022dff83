// What a model provider sends.

export const STREAM_GUARDS = [
  {
    id: "streams: arguments nested beyond what can be walked are none",
    file: "packages/core/src/lib/parse-json.ts",
    find: "  if (isDeep(text)) return undefined;\n",
    replace: "",
    tests: ["packages/core/test/security/own-streams.test.ts"],
  },
  {
    id: "streams: a usage that no request has is not counted",
    file: "packages/core/src/model/usage.ts",
    find: "value > 0 && value <= MAX_TOKENS",
    replace: "value > 0",
    tests: ["packages/core/test/security/own-streams.test.ts"],
  },
];
