import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { type ProblemCode, problems } from '../../src/http/problems.ts';
import type { Chapter, DescribedOperation, Field } from './describe-api.ts';
import { writeRequest } from './example-request.ts';
import { errorGuide } from './error-guide.ts';

/* The Markdown of pages that are not written as Markdown, for programs. */

const codes = Object.keys(problems) as ProblemCode[];

/** A page of the documents: where it is, and what it says. */
export interface ListedPage {
  readonly path: string;
  readonly title: string;
  readonly summary: string;
}

/** The address of a page's Markdown. */
export function markdownPath(path: string): string {
  return `${path}.md`;
}

export function writeLinks(pages: readonly ListedPage[]): string {
  return pages.map(({ path, title, summary }) => `- [${title}](${markdownPath(path)}): ${summary}`).join('\n');
}

const linkMarkdown = (text: string) =>
  text.replaceAll(/(?<=\]\()\/(?:docs|errors)[^)#]*/g, (path) => markdownPath(path));

const writeJson = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

function writeFields(fields: readonly Field[]): string {
  const lines = fields.map(({ name, type, isRequired, description }) => {
    const about = description === '' ? '' : `: ${description}`;
    return `- \`${name}\` (${type}${isRequired ? '' : ', optional'})${about}`;
  });
  return lines.join('\n');
}

function writeOperation(operation: DescribedOperation): string {
  const { method, path, id, summary, description, scopes, parameters, body, status, answer, refusals } = operation;
  const key = scopes === undefined ? 'No key.' : `A key${scopes.length > 0 ? ` with the scope ${scopes.join()}` : ''}.`;
  const parts = [
    `### ${method} ${path}`,
    `${summary}. ${linkMarkdown(description)} ${key} Operation \`${id}\`.`,
    parameters.length > 0 && `Parameters:\n\n${writeFields(parameters)}`,
    body.length > 0 && `Body:\n\n${writeFields(body)}`,
    `\`\`\`sh\n${writeRequest(operation)}\n\`\`\``,
    answer.length > 0 && `Answer ${status}:\n\n${writeFields(answer)}\n\n${writeJson(operation.answerExample)}`,
    `Refusals: ${refusals.map(({ code, status: refused }) => `\`${code}\` (${refused})`).join(', ')}.`,
  ];
  return parts.filter((part) => part !== false).join('\n\n');
}

export function writeReference(chapters: readonly Chapter[]): string {
  const parts = chapters.map(({ name, operations }) => `## ${name}\n\n${operations.map(writeOperation).join('\n\n')}`);
  return `# Reference

Every operation, from [the OpenAPI document](/api/v1/openapi.json). Each takes the header \`X-Request-Id\` too.

${parts.join('\n\n')}
`;
}

/** Said of a code that no client of the API sees. */
export const ONLY_OPERATORS = 'Only the operator’s API, below `/operator/v1`, answers with it.';

export function writeError(code: ProblemCode): string {
  const { status, title, retryable, kept } = problems[code];
  const { meaning, remedy, isOperators } = errorGuide[code];
  return `# ${title}

The error \`${code}\`, status ${status}. ${retryable ? 'Retryable' : 'Not retryable'}, ${kept ? '' : 'not '}kept for replay.

${isOperators ? `${meaning} ${ONLY_OPERATORS}` : meaning}

${remedy}

${writeJson(exampleOfProblem(code, false))}
`;
}

export function writeErrors(): string {
  const lines = codes.map((code) => {
    const { status, title } = problems[code];
    return `- [${code}](${markdownPath(`/errors/${code}`)}) (${status}): ${title}. ${errorGuide[code].remedy}`;
  });
  return `# Errors\n\nEvery code that the API answers with.\n\n${lines.join('\n')}\n`;
}
