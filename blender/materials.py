"""What soft bodies are made of: values to begin with, which the panel shows and the config has written out."""

# Name: what is shown, what it is, Young's modulus in Pa, Poisson's ratio, density in kg/m³.
SOFT = {
    "GELATIN": ("Gelatin", "Wobbles and sags: a dessert", 5e3, 0.45, 1000.0),
    "JELLY": ("Jelly", "A firm jelly that stands up by itself", 3e4, 0.45, 1000.0),
    "FLESH": ("Flesh", "Muscle and fat, at rest", 6e4, 0.45, 1050.0),
    "FOAM": ("Foam", "Upholstery: light, and thin where it is pulled", 1e5, 0.1, 40.0),
    "RUBBER": ("Rubber", "A soft rubber toy", 1e6, 0.45, 1100.0),
    "CORK": ("Cork", "Stiff and light, keeps its width", 1e7, 0.0, 180.0),
}
CUSTOM = "CUSTOM"


def items():
    """The choices of the panel."""
    listed = [(key, shown, about) for key, (shown, about, *_) in SOFT.items()]
    return [*listed, (CUSTOM, "Custom", "Your own values")]


def is_preset(key, values):
    """True if stiffness, ratio and density are those of a preset."""
    wanted = SOFT[key][2:] if key in SOFT else values
    return all(abs(a - b) <= 1e-5 * max(abs(a), 1e-3) for a, b in zip(wanted, values))
