/** What docs/configuration.zh-CN.md says around the table of keys. */
export const zh = {
  intro: `# 配置

\`config.json\` 的全部键。\`*\` 代表您自己取的名字。\`margay config show\` 显示生效的值及其来源；
\`margay config set 键 值\` 修改一个键。[English](configuration.md)

本页由 \`packages/app/src/config/keys/\` 生成；用 \`node scripts/configuration.mjs --write\` 重新生成。
`,
  head: "| 键 | 取值 | 默认值 | 作用 |",
  none: "无",
  secret: "属于机密。",
  restart: "下次启动时生效。",
  profileOnly: "仅用于模仿早先的项目；表单中不显示。",
  environment: (names) => `未设置时：取环境变量 ${names}。`,
  comma: "、",
  between: "",
};
