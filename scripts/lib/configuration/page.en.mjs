/** What docs/configuration.md says around the table of keys. */
export const en = {
  intro: `# Configuration

Every key of \`config.json\`. \`*\` stands for a name of yours. \`margay config show\` prints the values in force and where each
comes from; \`margay config set KEY VALUE\` changes one. [简体中文](configuration.zh-CN.md)

This page is generated from \`packages/app/src/config/keys/\`; write it again with \`node scripts/configuration.mjs --write\`.
`,
  head: "| key | takes | default | what it does |",
  none: "none",
  secret: "A secret.",
  restart: "Used from the next start.",
  profileOnly: "It imitates an earlier project; no form shows it.",
  environment: (names) => `Without it: ${names} of the environment.`,
  comma: ", ",
  between: " ",
};
