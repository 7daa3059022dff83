// The document around a page: no script and no style stands in it, so that the strictest policy holds.
import { linkBetween, sisterOf } from "./pages.mjs";

const WORDS = {
  en: {
    name: "margay documentation",
    skip: "Skip to the text",
    search: "Search",
    noResults: "Nothing found",
    failed: "The search could not be loaded",
    pages: "Pages",
    onPage: "On this page",
    other: "简体中文",
    theme: "Light or dark",
    only: "",
    before: "Before",
    next: "Next",
    menu: "Menu",
  },
  "zh-CN": {
    name: "margay 文档",
    skip: "跳到正文",
    search: "搜索",
    noResults: "没有找到",
    failed: "搜索索引未能加载",
    pages: "页面",
    onPage: "本页内容",
    other: "English",
    theme: "浅色或深色",
    only: "（英文）",
    before: "上一页",
    next: "下一页",
    menu: "目录",
  },
};

/**
 * @param page of `readPages`. @param rendered of `createMarkdown`. @param files names of the built script and style.
 * @param navigation of `navigationOf`, in the language of the page.
 */
export function documentOf(page, rendered, { pages, navigation, files, version }) {
  const { language } = page;
  const words = WORDS[language];
  const to = (url) => escape(linkBetween(page.url, url));
  const order = navigation.flatMap((section) => section.pages);
  const at = order.indexOf(page);
  const sister = sisterOf(pages, page);
  const home = language === "en" ? "index.html" : "zh-CN/index.html";
  const otherHome = language === "en" ? "zh-CN/index.html" : "index.html";
  const otherLanguage = language === "en" ? "zh-CN" : "en";
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escape(page.label === words.name ? words.name : `${page.label} · ${words.name}`)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${to(files.style)}">
<script src="${to(files.theme)}"></script>
<script src="${to(files.search)}" type="module"></script>
${sister === undefined ? "" : `<link rel="alternate" hreflang="${otherLanguage}" href="${to(sister.url)}">\n`}</head>
<body>
<a class="skip" href="#text">${words.skip}</a>
<header>
<a class="home" href="${to(home)}">${words.name}</a>
<search class="search" data-index="${to(`search-${language}.json`)}" data-base="${to("")}" data-none="${words.noResults}" data-failed="${words.failed}">
<input type="search" id="search" placeholder="${words.search}" aria-label="${words.search}" aria-controls="results" autocomplete="off">
<div id="results" hidden role="status"></div>
</search>
<a class="other" lang="${otherLanguage}" hreflang="${otherLanguage}" href="${to(sister?.url ?? otherHome)}">${words.other}</a>
<button type="button" id="theme" aria-label="${words.theme}" hidden>◐</button>
</header>
<div class="columns">
<nav class="pages" aria-label="${words.pages}"><details open><summary>${words.menu}</summary>
${navigation.map((section) => sectionOf(section, page, to, words)).join("\n")}
<p class="version">margay ${escape(version)}</p>
</details></nav>
<main id="text" tabindex="-1">
${rendered.html}${neighbours(order[at - 1], at < 0 ? undefined : order[at + 1], to, words)}</main>
${outline(rendered.headings, words)}
</div>
</body>
</html>
`;
}

function sectionOf({ title, pages }, page, to, { only }) {
  const rows = pages.map((one) => {
    const isOther = one.language !== page.language;
    const current = one === page ? ' aria-current="page"' : "";
    const marks = isOther ? ` hreflang="${one.language}"` : "";
    return `<li><a href="${to(one.url)}"${current}${marks}>${escape(one.label)}${isOther ? only : ""}</a></li>`;
  });
  return `<h2>${title}</h2>\n<ul>\n${rows.join("\n")}\n</ul>`;
}

function neighbours(before, next, to, words) {
  const link = (page, word, rel) =>
    page === undefined ? "" : `<a rel="${rel}" href="${to(page.url)}"><span>${word}</span> ${escape(page.label)}</a>`;
  if (before === undefined && next === undefined) return "";
  return `<div class="neighbours">${link(before, words.before, "prev")}${link(next, words.next, "next")}</div>\n`;
}

function outline(headings, { onPage }) {
  if (headings.length < 2) return "";
  const rows = headings.map(({ anchor, text }) => `<li><a href="#${escape(anchor)}">${escape(text)}</a></li>`);
  return `<nav class="outline" aria-label="${onPage}"><h2>${onPage}</h2><ul>\n${rows.join("\n")}\n</ul></nav>`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
