import type { Texts } from "../../lib/texts.ts";
import type { en } from "./templates.en.ts";

export const zh: Texts<typeof en> = {
  "AGENTS.md": "# 工作指引\n\n<!-- 每次对话都要遵守的规则：怎么做事、先做什么、哪些不要碰。 -->\n",
  "SOUL.md": "# 性格\n\n<!-- 没有选择性格预设时，助手是什么样的：语气、原则、小习惯。 -->\n",
  "USER.md": "# 关于你\n\n<!-- 希望助手了解的事：称呼、所在地、语言、工作、偏好。 -->\n",
  "TOOLS.md": "# 工具\n\n<!-- 在这里使用工具的说明：项目命令、机器、需要小心的地方。 -->\n",
  "HEARTBEAT.md": "# 定时检查\n\n<!-- 每半小时看一次的事项，一行一条，例如：- [ ] 备份超过一天没更新就告诉我 -->\n",
  "memory/MEMORY.md": "# 长期记忆\n\n<!-- 助手记住的事实；助手会修改这个文件，你也可以改。一行一条。 -->\n",
};
