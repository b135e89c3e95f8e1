import { scrollToCurrent } from '../../parts/scroll-to-current.ts';

/** The parts of a page, of which the address names the one that is shown; the first stands at the address alone. */
export function Tabs<Name extends string>({
  label,
  path,
  of,
  shown,
}: {
  readonly label: string;
  readonly path: string;
  readonly of: Readonly<Record<Name, string>>;
  readonly shown: Name;
}) {
  const names = Object.keys(of) as Name[];
  return (
    <nav class="tabs" aria-label={label} ref={scrollToCurrent}>
      {names.map((name, at) => (
        <a
          key={name}
          href={at === 0 ? path : `${path}?show=${name}`}
          aria-current={name === shown ? 'page' : undefined}
        >
          {of[name]}
        </a>
      ))}
    </nav>
  );
}

/** Which of the parts the address asks for; the first when it names none of them. */
export function shownOf<Name extends string>(of: Readonly<Record<Name, string>>, query: URLSearchParams): Name {
  const [first, ...others] = Object.keys(of) as [Name, ...Name[]];
  return others.find((name) => name === query.get('show')) ?? first;
}
