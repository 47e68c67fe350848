// What the charts of a report need of Apache ECharts, and no more: `make echarts` bundles it into echarts.min.js.
import { init, use } from 'echarts/core';
import { CustomChart, LineChart } from 'echarts/charts';
import {
  AriaComponent, BrushComponent, DataZoomInsideComponent, DataZoomSliderComponent,
  GridComponent, LegendComponent, MarkLineComponent, TooltipComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

use([
  CustomChart, LineChart, AriaComponent, BrushComponent, DataZoomInsideComponent, DataZoomSliderComponent,
  GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer,
]);

export { init };
