// The settings that this console runs with: names and values, no secret among them.

import { Scroll, type View } from './layout.js';

interface SettingsProps {
  readonly view: View;
  readonly settings: readonly (readonly [string, string])[];
}

export function Settings({ view, settings }: SettingsProps) {
  const text = view.words.health;
  return (
    <section>
      <h2>{text.settings}</h2>
      <Scroll label={text.settings}>
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{text.setting}</th>
              <th scope="col">{text.value}</th>
            </tr>
          </thead>
          <tbody>
            {settings.map(([name, value]) => (
              <tr>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
