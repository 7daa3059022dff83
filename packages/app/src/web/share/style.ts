/** The look of a shared chat: it stands in the file, for the file loads nothing. */
export const SHARED_STYLE = `
:root{color-scheme:light dark;--ink:#22211f;--muted:#66635d;--ground:#fbfaf8;--card:#fff;--own:#efede8;--line:#dedbd4;--link:#1b6b48}
@media(prefers-color-scheme:dark){:root{--ink:#e9e7e2;--muted:#a5a29b;--ground:#1c1b19;--card:#242320;--own:#302e2a;--line:#3d3b36;--link:#7fcfa6}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.65 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;line-break:strict;overflow-wrap:anywhere}
main{max-width:760px;margin:0 auto;padding:24px 16px}
h1{font-size:26px;line-height:1.3;margin:0 0 24px}
article{margin:0 0 24px}
article>h2{font-size:13px;font-weight:600;color:var(--muted);margin:0 0 4px}
article>h2 time{font-weight:400}
article.user{background:var(--own);border-radius:16px;padding:12px 16px;margin-left:12%}
p,ul,ol,blockquote,table,pre,details{margin:0 0 12px}
h3,h4,h5,h6{margin:20px 0 8px;line-height:1.35}
a{color:var(--link)}
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px;overflow:auto;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap}
code{font:13px ui-monospace,Menlo,Consolas,monospace}
blockquote{border-left:3px solid var(--line);padding-left:12px;color:var(--muted)}
table{border-collapse:collapse;display:block;overflow:auto}
th,td{border:1px solid var(--line);padding:4px 8px;text-align:left;vertical-align:top}
img{max-width:100%;border-radius:6px}
summary{color:var(--muted);cursor:pointer}
.file{color:var(--muted)}
footer{max-width:760px;margin:0 auto;padding:0 16px 32px;color:var(--muted);font-size:13px}
@media print{details{display:none}article.user{border:1px solid var(--line)}}
`.trim();
