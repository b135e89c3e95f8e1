import { highlight } from './highlight.ts';

/** Code as it is shown everywhere. */
export const showBlock = (code: string, language: string | undefined) =>
  `<pre><code>${highlight(code, language)}</code></pre>`;

/** Something below a line that says what it is. */
export const showFigure = (caption: string, content: string, kind = '') =>
  `<figure${kind}><figcaption>${caption}</figcaption>${content}</figure>`;

export const showExample = (caption: string, code: string, language: string) =>
  showFigure(caption, showBlock(code, language));

/** What a request or a command printed: it is for reading, and has no button that copies it. */
export const showPrinted = (caption: string, text: string, language: string | undefined) =>
  showFigure(caption, showBlock(text, language), ' class="printed"');
