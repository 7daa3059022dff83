// What comes in from chat platforms, and what they are told of us.
const EMAIL = ["plugins/channel-email/test/email.test.ts"];

export const CHANNEL_GUARDS = [
  {
    id: "platforms: a mail is of whom it says it is",
    file: "plugins/channel-email/src/take.ts",
    find: "if (settings.requireAuthenticated && !isAuthentic(",
    replace: "if (settings.requireAuthenticated && false && !isAuthentic(",
    tests: EMAIL,
  },
  {
    id: "platforms: what somebody calls a reaction is no word to the model",
    file: "packages/core/src/channels/reactions.ts",
    find: "emoji !== undefined && EMOJI.test(emoji)",
    replace: "emoji !== undefined",
    tests: ["packages/core/test/channels/reactions.test.ts"],
  },
  {
    id: "platforms: who floods us is not read",
    file: "packages/core/src/channels/flood.ts",
    find: "if (near.length >= limit.count) return",
    replace: "if (false) return",
    tests: ["packages/core/test/channels/flood.test.ts"],
  },
  {
    id: "platforms: no machine is answered",
    file: "plugins/channel-email/src/take.ts",
    find: "if (from === undefined || machine !== undefined) {",
    replace: "if (from === undefined) {",
    tests: EMAIL,
  },
  {
    id: "platforms: no password in the clear to another machine",
    file: "plugins/channel-email/src/settings.ts",
    find: 'if (security === "none" && !isLoopback(address))',
    replace: "if (false)",
    tests: EMAIL,
  },
  {
    id: "platforms: which settings are secret",
    file: "packages/app/src/config/secrets/secret-names.ts",
    find: 'secret === "named" && NAME.test(path)',
    replace: "false",
    tests: ["packages/app/test/gateway/channels.test.ts"],
  },
];
