import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  skillsJsonState: "无法读取状态目录中的 skills.json，因此没有技能视为已批准。",
  repairOrRemove: "请修复该文件，或将其删除后重新批准。",
  skillAlready: "技能 {name} 已存在。",
  changeOneOr: "请修改该技能，或换一个名称。",
  approvingSkillCame: "批准来自外部的技能",
  skillWhatApproved: "技能 {name} 与批准时的内容不同，或从未获得批准。",
  lookAtFiles: "请查看其文件后再批准。",
  skillCameMargay: "技能 {name} 为内置技能。",
  createOneName: "可在工作区创建同名技能来替代它，或将其停用。",
  otherFilesCannot: "无法读取其余文件：{reason}。",
  noSkill: "没有技能 {name}。",
  listsThem: "GET /api/v1/skills 可列出全部技能。",
  skillWouldLoad: "该技能无法加载：{reason}。",
  skillMdBegins: "SKILL.md 应以两行 `---` 之间的 frontmatter 开头，其中包含 name 与 description。",
  giveEitherArchive: "请以请求体提供归档，或给出来源，二者取一。",
  noSuchSkill: "没有等待中的该技能；仅保留一小时。",
  bringAgain: "请重新提交。",
  doesExist: "{source} 不存在。",
  givePathFolder: "请给出文件夹或归档的路径，或 npm: 加软件包名称。",
  nothingKept: "未保留其中任何内容：{reason}。",
  giveFolderTgz: "请提供含有 SKILL.md 且不含链接的文件夹、.tgz 或 npm 软件包。",
};
